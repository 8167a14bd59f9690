// @ts-check
// A lab that trains: a button, how far it is, and the question that is asked again while it goes on.
import { make, makeButton, setText } from "../shared/dom.js";
import { t } from "../shared/translate.js";

/**
 * @typedef {object} Training see `_progress` in demo/controls/labs.py
 * @property {"ready" | "waiting" | "running" | "done" | "stopped" | "failed"} stage
 * @property {string} told
 * @property {number} share of it that is done
 */

const FIRST_AGAIN = 300; // milliseconds until the first curve
const AGAIN = 500;
const AFTER_NO_ANSWER = 2000;
const MOST_SILENT = 5; // questions without an answer, after which it is told

/**
 * @param {HTMLElement} card
 * @param {(act?: "train" | "stop") => void} ask
 */
export function createTraining(card, ask) {
  const button = makeButton("lb-train", () => ask(goesOn ? "stop" : "train"));
  const bar = Object.assign(make("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", t("share of the training that is done"));
  const told = make("span", "lb-train-told");
  const line = make("div", "lb-training");
  line.append(button, bar, told);
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

  /** @param {Training | undefined} training of the answer that is shown now */
  function show(training) {
    clearTimeout(waiting);
    silent = 0;
    const began = !goesOn;
    goesOn = training?.stage === "waiting" || training?.stage === "running";
    line.hidden = !training;
    card.setAttribute("aria-busy", String(goesOn)); // who hears the page is told of the end, not of each step
    if (!training) return;
    line.dataset.stage = training.stage;
    setText(button, goesOn ? t("Stop") : training.stage === "ready" ? t("Train") : t("Train again"));
    bar.hidden = !goesOn;
    bar.value = training.share;
    setText(told, training.told);
    if (goesOn) askAgain(began ? FIRST_AGAIN : AGAIN);
  }

  /** Whether an answer that says nothing of the lab is no more than a pause: the question is asked again. */
  function bridges() {
    if (!goesOn || ++silent > MOST_SILENT) return false;
    askAgain(AFTER_NO_ANSWER);
    return true;
  }

  /** Nobody looks at it any more. */
  function leave() {
    clearTimeout(waiting);
    goesOn = false;
  }

  return { line, show, bridges, leave };
}
