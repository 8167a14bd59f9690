// @ts-check
// A class: pupils predict; their teacher sees the counts and reveals the answer to all. Pupils stay anonymous.

import { offer } from "../../../../widgets/exports/files.js";
import { make, makeButton, setText } from "../../../../widgets/view/dom.js";
import { t } from "../../../../widgets/view/translate.js";
import { classBars } from "./class_bars.js";

import { createClassLink, keepKey, keyOf, pupilName } from "./class_link.js";

/** @import { Prediction } from "../predictions/predictions.js" */
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
const BYTE_ORDER_MARK = "\ufeff"; // some spreadsheets misread letters beyond ASCII without it

/**
 * @param {HTMLElement} box
 * @param {any} server
 * @param {object} on
 * @param {() => { lesson: string, step: number, prediction?: Prediction }} on.now
 * @param {(step: number) => void} on.go the teacher has moved to a step
 * @param {() => void} on.reveal the teacher has revealed the step; called until the answer is shown
 * @param {(name: string) => void} on.opened
 */
export function createClassroom(box, server, on) {
  let name = "";
  let key = "";
  let classStep = 0; // the step of the class at the last answer; 0 before
  let pupil = "";
  /** @type {ClassState | null} */
  let standing = null;
  /** @type {{ step: number, answer: any } | null} */
  let model = null; // the model's answer to a step's question, once this browser has shown it
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let asking;

  const opener = makeButton("ls-small", () => open().catch(console.error));
  const message = make("p");
  message.setAttribute("role", "status");
  const bars = make("div", "ls-bars");
  bars.setAttribute("role", "group");
  const reveal = makeButton("ls-do", () => lead(true).catch(console.error));
  const follow = makeButton("ls-small", () => standing && on.go(standing.step));
  const results = makeButton("ls-small", () => saveResults().catch(console.error));
  const link = createClassLink(server);
  const rules = make("p", "ls-hint");
  const ends = make("div", "ls-more", reveal, results);
  link.root.append(rules);
  const panel = make("div", "ls-class", message, follow, bars, ends, link.root);
  for (const part of [reveal, follow, panel]) part.hidden = true;
  box.append(opener, panel);

  function label() {
    opener.textContent = t("Predict with a class");
    reveal.textContent = t("Reveal to all");
    results.textContent = t("Results as CSV");
    bars.setAttribute("aria-label", t("Predictions of the class"));
    const size = t("Up to 60 pupils can open this link.");
    const leader = t("Any tab of this browser can lead the class, also after you close this one.");
    rules.textContent = `${size} ${leader}`;
    link.label();
  }

  async function open() {
    const { lesson, step } = on.now();
    const answer = await server.class_open({ lesson, step });
    if (answer.refused !== undefined) return showSentence(answer.refused);
    keepKey(answer.class, answer.key);
    key = answer.key;
    join(answer.class);
    link.root.open = true;
    on.opened(answer.class);
  }

  /** @param {string} to the name of a class */
  function join(to) {
    const typed = to.toUpperCase(); // the server spells it so
    if (name === typed) return;
    name = typed;
    key = key || keyOf(name);
    if (!key) pupil ||= pupilName();
    classStep = 0;
    opener.hidden = true;
    panel.hidden = false;
    for (const part of [link.root, ends]) part.hidden = !key;
    if (key) link.show(name);
    clearInterval(asking);
    asking = setInterval(() => poll().catch(console.error), ASK_MILLISECONDS);
    poll().catch(console.error);
  }

  /** @param {string} sentence */
  function showSentence(sentence) {
    panel.hidden = false;
    setText(message, sentence);
  }

  /** @param {boolean} isRevealing */
  async function lead(isRevealing) {
    const { step } = on.now();
    show(step, await server.class_lead({ class: name, key, step, reveal: isRevealing }));
  }

  async function poll() {
    const { step } = on.now();
    if (key && classStep && step !== classStep) return lead(false); // the teacher has moved on in this tab
    show(step, await server.class_look({ class: name, step, ...(key ? { key } : { pupil }) }));
  }

  /** @type {(step: number, answer: ClassState) => void} */
  function show(step, answer) {
    if (!name) return; // the class was left
    if (answer.refused !== undefined) {
      for (const part of [reveal, follow]) part.hidden = true;
      return showSentence(answer.refused); // the questions go on: there may have been too many at once
    }
    if (step !== on.now().step) return;
    standing = answer;
    const { prediction } = on.now();
    const values = { predicted: answer.predicted, pupils: answer.pupils };
    setText(
      message,
      prediction
        ? t("Class: pupils here {pupils}, predictions {predicted}", values)
        : t("Class: pupils here {pupils}. This step has no question.", values),
    );
    reveal.hidden = !prediction || answer.revealed;
    follow.hidden = answer.step === step;
    setText(follow, t("The class is at step {step}: go there", { step: answer.step }));
    drawBars();
    const hasMoved = answer.step !== classStep; // the teacher has moved on, maybe in another tab
    classStep = answer.step;
    if (hasMoved && answer.step !== step) return on.go(answer.step);
    if (answer.revealed) on.reveal();
  }

  function drawBars() {
    const { step, prediction } = on.now();
    if (standing) bars.replaceChildren(...classBars(prediction, standing, model?.step === step ? model.answer : null));
  }

  /**
   * Marks the model's answer among the predictions of the class.
   * @param {any} answer in the form of a guess
   */
  function mark(answer) {
    model = { step: on.now().step, answer };
    drawBars();
  }

  async function saveResults() {
    const { csv, refused } = await server.class_results({ class: name, key });
    if (refused !== undefined) return showSentence(refused);
    offer(BYTE_ORDER_MARK + csv, "text/csv;charset=utf-8", `class-${name}.csv`);
  }

  /**
   * Sends a prediction to the class. Resolves to whether to reveal the answer at once.
   * @param {any} guess
   */
  async function predict(guess) {
    if (!name || key) return true;
    const answer = await server.class_predict({ class: name, pupil, step: on.now().step, guess });
    if (answer.refused === undefined) return false;
    if (!standing?.revealed) showSentence(answer.refused);
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

  /** The number of steps whose answers a reader may see; for a pupil, those before the step of the class. */
  const numAnswered = () => (name && !key ? Math.max(classStep - 1, 0) : Number.POSITIVE_INFINITY);

  return { label, join, predict, mark, leave, numAnswered, name: () => name };
}
