// @ts-check
// How an evaluation goes, and what it says once it is done. The server keeps it; this browser keeps its key.
import { formOf, withoutLost } from "../../page/links/links.js";
import { choicesText, readChoices } from "../../shared/answers/choices.js";
import { createQuestions } from "../../shared/answers/questions.js";
import { createShown } from "../../shared/answers/shown.js";
import { find, make, setText } from "../../shared/dom.js";
import { offer, saveButton } from "../../shared/exports/files.js";
import { recall, remember } from "../../shared/memory.js";
import { reveal } from "../../shared/reveal.js";
import { addWords, t } from "../../shared/translate.js";
import { createBrowser } from "./browser.js";
import { asksForEvaluation } from "./same_request.js";

/**
 * @typedef {object} Hands
 * @property {any} server
 * @property {() => Promise<any>} plotly
 * @property {() => Record<string, string>} dark colours of the dark page
 * @property {(asked: object) => void} retrain begins an experiment
 * @property {() => void} anew asks for an evaluation, since what was kept is gone
 */
/** @typedef {import("../../shared/answers/shown.js").Shown & { offer?: string }} PartAnswer */
/** @typedef {{ stage: string, told: string, share: number, refused?: string }} Progress */

const KEPT = "unrolled-evaluation";
const KEPT_REQUEST = "unrolled-evaluation-request"; // apart: a long text may be too large to keep
const FIRST_AGAIN = 250; // milliseconds between two questions; a short evaluation is done after a few
const AGAIN = 800;
const QUICK = 4; // questions
const AFTER_NO_ANSWER = 3000;
const GOES_ON = ["waiting", "running"];
const AT_ONCE = 0;

/**
 * @param {HTMLElement} root
 * @param {Hands} hands
 */
export function createPanel(root, { server, plotly, dark, anew, retrain }) {
  const [empty, line, result] = ["empty", "progress", "result"].map((part) => find(root, `.ev-${part}`));
  const [bar, told, stop] = [find(line, "progress", HTMLProgressElement), find(line, ".ev-told"), find(line, "button")];
  const [list, files, card] = ["parts", "files", "part"].map((part) => find(root, `.ev-${part}`));
  const measure = find(card, ".ev-offer");
  let key = "";
  let before = ""; // the evaluation on show, of which another one is a part more
  let asked = 0; // questions about this evaluation
  let resumes = false; // nobody has asked for it on this page
  /** @type {Record<string, any> | undefined} */
  let request; // the form that asked for the result on show
  /** @type {Record<string, any> | undefined} */
  let next; // the form that asks for the one to come
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  /** @type {[string, string, string][]} */
  let parts = []; // name, title, question
  /** @type {[name: string, value: string][]} */
  let about = []; // what a file says of the evaluation
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {Record<string, Record<string, string | number>>} */
  const chosen = {}; // by part, then by the controls' names
  let shownPart = "";

  const ready = server.words({}).then((/** @type {any} */ { words }) => addWords(words ?? {}));
  /** @type {ReturnType<typeof createShown> | undefined} */
  let shown;
  const questions = createQuestions(card, server, "part", (/** @type {PartAnswer} */ answer) => {
    shown?.show(answer);
    measure.hidden = !answer.offer;
    setText(measure, answer.offer ?? "");
    root.dataset.part = shownPart;
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  });
  /** @type {ReturnType<typeof createBrowser> | undefined} */
  let browser;

  measure.addEventListener("click", () => widen().catch(console.error));
  stop.addEventListener("click", () => server.stop({ key }).then(show).catch(console.error));

  /**
   * Shows how this evaluation goes, until it is over.
   * @param {string} begun its key
   */
  function follow(begun) {
    key = begun;
    remember(KEPT, key);
    if (next) {
      request = next;
      next = undefined;
      remember(KEPT_REQUEST, request);
    }
    asked = 0;
    before = "";
    resumes = false;
    root.dataset.stage = "waiting";
    look().catch(console.error);
  }

  /** Has measured what the part on show lacks. */
  async function widen() {
    measure.hidden = true;
    const answer = await server.widen({ key });
    if (answer.refused !== undefined) {
      line.hidden = false;
      setText(told, answer.refused);
      return;
    }
    const mine = key;
    follow(answer.key);
    before = mine;
  }

  async function look() {
    clearTimeout(waiting);
    const mine = key;
    const answer = await server.progress({ key }).catch(() => null);
    if (mine !== key) return;
    if (!answer || answer.refused !== undefined) waiting = setTimeout(look, AFTER_NO_ANSWER);
    else show(answer);
  }

  /** @param {Progress} progress */
  function show({ stage, told: sentence, share }) {
    if (stage === "gone" && resumes) {
      remember(KEPT, "");
      anew();
      return;
    }
    root.dataset.stage = stage;
    const goesOn = GOES_ON.includes(stage);
    root.setAttribute("aria-busy", String(goesOn));
    line.hidden = stage === "done";
    empty.hidden = true;
    bar.hidden = stop.hidden = !goesOn;
    bar.value = share;
    setText(told, sentence);
    if (goesOn) waiting = setTimeout(look, asked++ < QUICK ? FIRST_AGAIN : AGAIN);
    else if (stage === "done") finish().catch(console.error);
    else if (before) goBack();
  }

  // What was measured before is still there.
  function goBack() {
    key = before;
    before = "";
    remember(KEPT, key);
    measure.hidden = false;
  }

  async function finish() {
    const mine = key;
    const outline = await server.outline({ key });
    if (mine !== key) return;
    if (outline.refused !== undefined) {
      line.hidden = false;
      setText(told, outline.refused);
      return;
    }
    result.hidden = false;
    ({ parts, about } = outline);
    questions.forget();
    shown ??= createShown(root, card, plotly, {
      name: () => `evaluation-${shownPart}`,
      about: () => about,
      dark,
      choose(control, value) {
        chosen[shownPart] = { ...chosen[shownPart], [control]: value };
        showPart();
      },
    });
    buttons = parts.map(([name, title]) => {
      const button = Object.assign(make("button", "", title), { type: "button" });
      button.addEventListener("click", () => {
        shownPart = name;
        showPart();
        reveal(card);
      });
      return button;
    });
    list.replaceChildren(...buttons);
    if (!parts.some(([name]) => name === shownPart)) shownPart = parts[0][0];
    showPart();
    browser ??= createBrowser(find(root, ".ev-browser"), server, retrain);
    if (!files.childElementCount) files.append(...kinds().map(([kind, hint]) => fileButton(kind, hint)));
    browser.show(outline.rows, outline.systems, outline.retrains ? key : "");
    document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: "evaluate" }));
  }

  // The result stays until the next one is there; where the form asks for something else, that is said quietly.
  function mark() {
    const form = formOf("evaluate");
    if (form && !result.hidden) root.dataset.stale = String(!request || !asksForEvaluation(form, request));
  }
  document.addEventListener("unrolled:gathered", mark);

  // What is chosen of the part on show.
  function showPart() {
    for (const [at, [name, title, question]] of parts.entries()) {
      buttons[at].setAttribute("aria-pressed", String(name === shownPart));
      if (name !== shownPart) continue;
      find(card, "h3").textContent = title;
      find(card, ".tv-inspect-question").textContent = question;
    }
    const options = chosen[shownPart] ?? {};
    questions.ask({ key, part: shownPart, options }, AT_ONCE).catch(console.error);
  }

  /** @param {string} text as a link names a part and what is chosen in it */
  function open(text) {
    const given = readChoices(text);
    if (!given) return;
    shownPart = given.view;
    chosen[shownPart] = given.choices;
    if (parts.some(([name]) => name === shownPart)) showPart();
  }

  /** @returns {[kind: string, hint: string][]} */
  const kinds = () => [
    ["html", t("Download the report as a page that needs no network")],
    ["json", t("Download all numbers as JSON")],
    ["csv", t("Download the segments for a spreadsheet")],
  ];

  /** @type {(kind: string, hint: string) => HTMLElement} */
  const fileButton = (kind, hint) =>
    saveButton("tv-download", kind.toUpperCase(), hint, async () => {
      const file = await server.file({ key, kind });
      if (file.refused !== undefined) throw new Error(file.refused);
      offer(file.text, `${file.type};charset=utf-8`, file.name);
    });

  /** Goes on with what this browser last asked for, if anything. */
  function resume() {
    const kept = recall(KEPT);
    if (typeof kept !== "string" || !kept) return false;
    if (kept !== key) {
      request = recall(KEPT_REQUEST);
      follow(kept);
      resumes = true;
    }
    return true;
  }

  /** What a link says of the form and of the part on show, and what it cannot carry. @param {any} form */
  function read({ checkpoints = [], kind }) {
    const values = { checkpoint: checkpoints[0], other_checkpoint: checkpoints[1], part: "" };
    if (shownPart) values.part = choicesText(shownPart, chosen[shownPart] ?? {});
    const words = withoutLost(values);
    if (kind !== "example") words.push(t("The test set is not in the link: it opens with the example."));
    if (checkpoints.length > 2) words.push(t("Only the first two checkpoints are in the link."));
    return { values, words };
  }

  /** @param {string} run */
  const experiment = (run) => browser?.experiment(run);

  /** @param {Record<string, any>} form what it says while an evaluation is asked for */
  const requested = (form) => {
    next = form;
  };

  return { ready, follow, open, resume, read, experiment, requested };
}
