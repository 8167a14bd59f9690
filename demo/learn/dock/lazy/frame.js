// @ts-check
// The elements of the dock: a title, the steps, a text, a prediction, its outcome, and the buttons to go on.
import { make, makeButton, setText } from "../../../widgets/view/dom.js";
import { pace } from "../../../widgets/view/scrolling.js";
import { t } from "../../../widgets/view/translate.js";

const FAR_PIXELS = 10;

/**
 * @param {HTMLElement} root
 * @param {{ leave: () => void, back: () => void, next: () => void, showPart: () => void, go: (step: number) => void }} on
 */
export function createFrame(root, on) {
  const title = make("h2");
  const count = make("span", "ls-count");
  const close = makeButton("ls-close", on.leave, "×");
  const head = make("header", "", title, count, close);
  const steps = make("ol", "ls-steps");
  const remembered = make("div", "ls-remembered"); // a question of an earlier lesson
  const text = make("p", "ls-text");
  const partButton = makeButton("ls-where", on.showPart); // scrolls to the part that a step describes
  const prediction = make("div", "ls-prediction");
  const outcome = make("div", "ls-outcome");
  const task = make("p", "ls-task");
  for (const node of [outcome, task]) node.setAttribute("role", "status");
  const back = makeButton("ls-back", on.back);
  const next = makeButton("ls-next", on.next);
  const foot = make("footer", "", back, next);
  const more = make("div", "ls-more"); // holds the controls of a class and of its teacher
  const body = make("div", "ls-body", text, partButton);
  body.setAttribute("aria-live", "polite");
  const unfold = makeButton("ls-unfold", () => {
    fold(false);
    partButton.focus({ preventScroll: true });
    root.scrollIntoView({ block: "start", behavior: pace() });
  });
  root.append(head, steps, remembered, body, prediction, outcome, task, foot, more, unfold);
  holdPresses(root);

  /** Sets the labels in the reader's language, whose translations arrive with the first lesson. */
  function label() {
    close.setAttribute("aria-label", t("Close the lesson"));
    back.textContent = t("Back");
    unfold.textContent = t("Back to the question");
  }

  /** @param {boolean} isFolded to the one line that leads back, so that the page is in sight */
  function fold(isFolded) {
    root.classList.toggle("ls-folded", isFolded);
    if (isFolded) unfold.focus({ preventScroll: true });
  }

  /** @param {boolean} isRevealed whether the outcome is shown; then the button stands below it */
  function placePartButton(isRevealed) {
    if (isRevealed) outcome.after(partButton);
    else body.append(partButton);
  }

  /**
   * Shows the reader's progress; nothing without steps.
   * @param {number} all @param {number} current from 1
   */
  function showSteps(all, current) {
    setText(count, all ? t("{step} of {count}", { step: current, count: all }) : "");
    steps.replaceChildren(...[...Array(all).keys()].map((index) => dot(index + 1, current)));
  }

  /** @param {number} target @param {number} current */
  function dot(target, current) {
    const button = makeButton("ls-dot", () => on.go(target));
    button.setAttribute("aria-label", t("Step {step}", { step: target }));
    if (target === current) button.setAttribute("aria-current", "step");
    return make("li", "", button);
  }

  /** Removes the texts of a step before the dock shows something else. */
  function clear() {
    for (const node of [remembered, text, partButton, outcome, task]) node.replaceChildren();
  }

  const parts = { title, remembered, text, partButton, prediction, outcome, task, back, next, more };
  return { ...parts, clear, showSteps, label, fold, placePartButton };
}

/**
 * Counts a press on a button also if the page moves under it before the finger is lifted, as it does while a step's
 * state arrives above the dock. Moving the pointer away cancels it.
 * @param {HTMLElement} root contains the buttons
 */
function holdPresses(root) {
  /** @type {{ button: Element, x: number, y: number } | null} */
  let pressed = null;

  root.addEventListener("pointerdown", ({ target, pointerId, clientX: x, clientY: y }) => {
    const button = /** @type {Element} */ (target).closest("button");
    pressed = button && { button, x, y };
    button?.setPointerCapture(pointerId); // the button gets the click
  });
  root.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!pressed || Math.hypot(clientX - pressed.x, clientY - pressed.y) < FAR_PIXELS) return;
    if (pressed.button.hasPointerCapture(pointerId)) pressed.button.releasePointerCapture(pointerId);
  });
}
