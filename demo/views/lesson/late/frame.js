// @ts-check
// The elements of the dock: a title, the steps, a text, a prediction, its outcome, and the buttons to go on.
import { make, makeButton } from "../../shared/dom.js";
import { t } from "../../shared/translate.js";
import { holdPresses } from "./press.js";

/**
 * @param {HTMLElement} root
 * @param {{ leave: () => void, back: () => void, next: () => void, print: () => void, look: () => void }} on
 */
export function createFrame(root, on) {
  const title = make("h2");
  const count = make("span", "ls-count");
  const close = makeButton("ls-close", on.leave);
  close.textContent = "×";
  const head = make("header");
  head.append(title, count, close);
  const steps = make("ol", "ls-steps");
  const text = make("p", "ls-text");
  const where = makeButton("ls-where", on.look); // scrolls to the part that a step describes
  const prediction = make("div", "ls-prediction");
  const outcome = make("div", "ls-told");
  const task = make("p", "ls-task");
  for (const node of [outcome, task]) node.setAttribute("role", "status");
  const back = makeButton("ls-back", on.back);
  const next = makeButton("ls-next", on.next);
  const foot = make("footer");
  foot.append(back, next);
  const more = make("div", "ls-more"); // for a class, and for printing
  const print = makeButton("ls-small", on.print);
  more.append(print);
  const body = make("div", "ls-body");
  body.setAttribute("aria-live", "polite");
  body.append(text, where);
  root.append(head, steps, body, prediction, outcome, task, foot, more);
  holdPresses(root);

  /** Sets the labels in the reader's language, whose translations arrive with the first lesson. */
  function label() {
    close.setAttribute("aria-label", t("Close the lesson"));
    back.textContent = t("Back");
    print.textContent = t("Print the questions");
  }

  return { title, count, steps, text, where, prediction, told: outcome, task, back, next, more, label };
}
