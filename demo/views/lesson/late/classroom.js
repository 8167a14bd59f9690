// @ts-check
// A class: pupils predict; their teacher sees the counts and reveals the answer to all. Pupils stay anonymous.
import { make, makeButton, setText } from "../../shared/dom.js";
import { t } from "../../shared/translate.js";
import { classBars } from "./class_bars.js";

/** @import { Prediction } from "./predictions.js" */
/**
 * @typedef {object} ClassState at one step of the lesson
 * @property {number} step the teacher's step
 * @property {number} pupils
 * @property {number} predicted
 * @property {boolean} revealed
 * @property {number[]} [counts]
 * @property {[number, number][]} [bins] the first and the last number of each
 * @property {{ value: number, count: number }[]} [drawn] at each position of a drawing
 * @property {{ text: string, count: number }[]} [typed]
 * @property {string} [refused]
 */

const ASK_MILLISECONDS = 2000;
const KEYS = "unrolled-classes"; // the keys of classes that this browser has opened
const PUPIL = "unrolled-pupil";

/** @type {(key: string) => any} */
function stored(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null; // a page in a frame may not be allowed to store anything
  }
}

/** @type {(key: string, value: any) => any} */
function keep(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value is lost when the page is reloaded.
  }
  return value;
}

/**
 * @param {HTMLElement} box
 * @param {any} server
 * @param {object} on
 * @param {() => { lesson: string, step: number, prediction?: Prediction }} on.now
 * @param {(step: number) => void} on.go the teacher has moved to a step
 * @param {() => void} on.reveal the teacher reveals the step
 * @param {(name: string) => void} on.opened
 */
export function createClassroom(box, server, on) {
  let name = "";
  let key = "";
  let led = 0; // the teacher's last step
  let pupil = stored(PUPIL) ?? "";
  /** @type {ClassState | null} */
  let standing = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let asking;

  const opener = makeButton("ls-small", () => open().catch(console.error));
  const panel = make("div", "ls-class");
  const said = make("p");
  said.setAttribute("role", "status");
  const bars = make("div", "ls-bars");
  const reveal = makeButton("ls-do", () => lead(true).catch(console.error));
  const link = make("input");
  link.readOnly = true;
  link.addEventListener("focus", () => link.select());
  const alone = make("p", "ls-hint");
  reveal.hidden = true;
  panel.append(said, link, alone, bars, reveal);
  panel.hidden = true;
  box.append(opener, panel);

  function label() {
    opener.textContent = t("Predict with a class");
    reveal.textContent = t("Reveal to all");
    link.setAttribute("aria-label", t("Link for the class"));
  }

  async function open() {
    const answer = await server.class_open({ lesson: on.now().lesson });
    if (answer.refused !== undefined) return tell(answer.refused);
    keep(KEYS, { ...stored(KEYS), [answer.class]: answer.key });
    key = answer.key;
    join(answer.class);
    on.opened(answer.class);
    await lead(false);
  }

  /** @param {string} to the name of a class */
  function join(to) {
    if (name === to) return;
    name = to;
    key = key || (stored(KEYS)?.[to] ?? "");
    if (!key && !pupil) pupil = keep(PUPIL, crypto.randomUUID());
    led = 0;
    opener.hidden = true;
    panel.hidden = false;
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ class: name }).toString();
    link.value = url.href;
    link.hidden = !key;
    setText(
      alone,
      key
        ? t(
            "Up to 60 pupils open this link. Only this browser can reveal. A server with several processes cannot do this.",
          )
        : "",
    );
    clearInterval(asking);
    asking = setInterval(() => look().catch(console.error), ASK_MILLISECONDS);
    look().catch(console.error);
  }

  /** @param {string} sentence */
  function tell(sentence) {
    panel.hidden = false;
    setText(said, sentence);
  }

  /** @param {boolean} isRevealing */
  async function lead(isRevealing) {
    const { step } = on.now();
    show(step, await server.class_lead({ class: name, key, step, reveal: isRevealing }));
  }

  async function look() {
    const { step } = on.now();
    if (key) return lead(false);
    show(step, await server.class_look({ class: name, pupil, step }));
  }

  /** @type {(step: number, answer: ClassState) => void} */
  function show(step, answer) {
    if (answer.refused !== undefined) {
      reveal.hidden = true;
      return tell(answer.refused); // the questions go on: there may have been too many at once
    }
    if (step !== on.now().step) return;
    const isNew = answer.revealed && !(standing?.revealed && led === step);
    standing = answer;
    const { prediction } = on.now();
    const values = { predicted: answer.predicted, pupils: answer.pupils };
    setText(
      said,
      prediction
        ? t("Class: pupils here {pupils}, predictions {predicted}", values)
        : t("Class: pupils here {pupils}. This step has no question.", values),
    );
    reveal.hidden = !key || !prediction || answer.revealed;
    bars.replaceChildren(...classBars(prediction, answer, null));
    if (!key && answer.step !== led) {
      led = answer.step;
      if (answer.step !== step) return on.go(answer.step);
    }
    led = answer.step;
    if (isNew) on.reveal();
  }

  /**
   * Sends a prediction to the class. Resolves to whether to reveal the answer at once.
   * @param {any} guess
   */
  async function predict(guess) {
    if (!name || key) return true;
    if (standing?.revealed) return true;
    const answer = await server.class_predict({ class: name, pupil, step: on.now().step, guess });
    if (answer.refused === undefined) return false;
    tell(answer.refused);
    return true; // no teacher will reveal it
  }

  function leave() {
    clearInterval(asking);
    name = "";
    key = "";
    standing = null;
    panel.hidden = true;
    opener.hidden = false;
  }

  return { label, join, predict, leave, name: () => name };
}
