// @ts-check
// A lab that trains: a button, its progress, and the question that is repeated while it trains.
import { make, makeButton, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

/**
 * @typedef {object} Training see `_progress` in demo/learn/lab_page/server_functions.py
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
export function createTraining(card, ask) {
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
