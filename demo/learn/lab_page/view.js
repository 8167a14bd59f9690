// @ts-check
// The labs: a list, and the open one, whose content and controls Python describes. One that trains has a button, its
// progress, and a question that is repeated while it trains.
import { isInLesson } from "../../links/scripts/lesson_step.js";
import { gather, link } from "../../links/scripts/links.js";
import { hiddenParts } from "../../links/scripts/settings.js";
import { createAnswerView } from "../../widgets/answers/answer_view.js";
import { createProgram } from "../../widgets/answers/program.js";
import { choicesText, createQuestions, readChoices } from "../../widgets/answers/questions.js";
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { copyButton, copyText } from "../../widgets/exports/copying.js";
import { find, make, makeButton, setText } from "../../widgets/view/dom.js";
import { reveal } from "../../widgets/view/scrolling.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Mount } from "../../widgets/view/mount.js" */
/**
 * @typedef {object} Training see `_progress` in demo/learn/lab_answers.py
 * @property {"ready" | "waiting" | "running" | "done" | "stopped" | "failed"} stage
 * @property {string} message
 * @property {number} share that is done
 */

const FIRST_POLL_MILLISECONDS = 300; // milliseconds until the first curve
const POLL_MILLISECONDS = 500;
const AFTER_NO_ANSWER = 2000;
const MAX_UNANSWERED = 5; // unanswered questions before the failure is shown

/**
 * @param {HTMLElement} card
 * @param {(act?: "train" | "stop") => void} ask
 */
function createTraining(card, ask) {
  const button = makeButton("lb-train", () => ask(goesOn ? "stop" : "train"));
  const bar = Object.assign(make("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", t("share of the training that is done"));
  const status = make("span", "lb-train-status");
  const line = make("div", "lb-training", button, bar, status);
  line.hidden = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  let goesOn = false;
  let silent = 0;

  /** @param {number} milliseconds */
  function askAgain(milliseconds) {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask(), milliseconds);
  }

  /** @param {Training | undefined} training of the current answer */
  function show(training) {
    clearTimeout(waiting);
    silent = 0;
    const began = !goesOn;
    goesOn = training?.stage === "waiting" || training?.stage === "running";
    line.hidden = !training;
    card.setAttribute("aria-busy", String(goesOn)); // screen readers then announce the end, not each step
    if (!training) return;
    line.dataset.stage = training.stage;
    setText(button, goesOn ? t("Stop") : training.stage === "ready" ? t("Train") : t("Train again"));
    bar.hidden = !goesOn;
    bar.value = training.share;
    setText(status, training.message);
    if (goesOn) askAgain(began ? FIRST_POLL_MILLISECONDS : POLL_MILLISECONDS);
  }

  /** Repeats a question that got no answer during a training. Returns false to show the failure instead. */
  function retryAfterFailure() {
    if (!goesOn || ++silent > MAX_UNANSWERED) return false;
    askAgain(AFTER_NO_ANSWER);
    return true;
  }

  /** Stops asking when another lab is opened. */
  function leave() {
    clearTimeout(waiting);
    goesOn = false;
  }

  return { line, show, retryAfterFailure, leave };
}

const TAB = "learn";
const NO_PAUSE = 0; // milliseconds: a changed control takes effect without a pause

/** @type {Mount} */
export function mount(element, props, _watch, _trigger, server) {
  const root = find(element, ".labs");
  const card = find(root, ".lb-lab");
  /** @type {[string, string, string, boolean][]} */
  let labs = []; // name, title, question, and whether it has a program
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {Record<string, Record<string, string | number>>} */
  const choices = {}; // keys: the lab, then the control's name
  let open = "";

  const content = createAnswerView(root, card, () => loadPlotly(props.plotly_source), {
    name: () => open,
    dark: () => props.dark,
    choose(control, value) {
      choices[open] = { ...choices[open], [control]: value };
      ask();
    },
  });
  const training = createTraining(card, (act) => {
    const request = { lab: open, options: choices[open] ?? {} };
    questions.ask(act ? { ...request, act } : request, NO_PAUSE, true).catch(console.error);
  });
  find(card, ".tv-inspect-controls").after(training.line);
  const questions = createQuestions(card, server, "compute", (/** @type {any} */ answer) => {
    if (answer.refused !== undefined && !answer.controls && training.retryAfterFailure()) return;
    content.show(answer);
    training.show(answer.training);
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  });

  const program = createProgram(async () => ({
    name: open,
    ...(await server.script({ lab: open, options: choices[open] ?? {} })),
  }));
  find(card, ".lb-script").append(program.button, program.box);

  const tellLink = () => gather(TAB, ["lab"], [choicesText(open, choices[open] ?? {})]);

  function ask() {
    for (const [index, [name, title, question, hasProgram]] of labs.entries()) {
      buttons[index].setAttribute("aria-pressed", String(name === open));
      if (name !== open) continue;
      find(card, "h3").textContent = title;
      find(card, ".tv-inspect-question").textContent = question;
      program.offer(hasProgram);
    }
    root.dataset.lab = open;
    tellLink();
    training.leave();
    questions.ask({ lab: open, options: choices[open] ?? {} }, NO_PAUSE).catch(console.error);
  }

  /** @type {(lab: typeof labs[number]) => HTMLButtonElement} */
  function choice([name, title]) {
    const button = Object.assign(make("button", "", title), { type: "button" });
    button.addEventListener("click", () => {
      open = name;
      ask();
      reveal(card);
    });
    return button;
  }

  const listing = server.list_labs({}).then((/** @type {{ labs: typeof labs }} */ answer) => {
    labs = answer.labs;
    buttons = labs.map(choice);
    find(root, ".lb-list").append(...buttons);
    open ||= labs[0][0];
    ask();
  });
  listing.catch(console.error);
  find(root, ".lb-link").append(
    copyButton(t("Copy a link to this lab"), () => copyText(link(TAB, hiddenParts()).href), t("Copy link")),
  );
  document.addEventListener("unrolled:gather", (event) => {
    if (/** @type {CustomEvent<string>} */ (event).detail === TAB) tellLink();
  });

  /** @param {{ lab?: string }} view */
  async function restore({ lab }) {
    await listing;
    const target = readChoices(lab);
    if (!target || !labs.some(([name]) => name === target.view)) return;
    open = target.view;
    choices[open] = target.choices;
    ask();
    if (!isInLesson()) reveal(card); // a lesson shows the lab beside its dock
  }

  Object.assign(root, { unrolled: { restore } }); // the page's script calls it
}
