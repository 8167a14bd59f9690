// @ts-check
// What deletes something asks first, beside its button, so that no second click in one place deletes. Escape, a click
// elsewhere and Cancel leave everything as it is.
import { make, makeButton } from "../shared/dom.js";
import { t } from "../shared/translate.js";

const GAP = 8; // pixels between the button and the question

/** @type {Record<string, () => string>} what Gradio's buttons ask, by their ids; our own say it themselves */
const QUESTIONS = {
  "run-remove": () => t("Remove this run and its checkpoint?"),
  "train-forget": () => t("Forget all your corrections?"),
};

/** @param {HTMLElement} button */
const questionOf = (button) => button.dataset.question ?? QUESTIONS[button.id]?.();

let agreed = /** @type {HTMLElement | null} */ (null); // a button that may act now

/** @param {HTMLElement} button */
function act(button) {
  agreed = button;
  button.click();
  agreed = null;
}

/** @type {(box: HTMLElement, button: HTMLElement) => void} below the button, or above it, within the window */
function place(box, button) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const room = document.documentElement.clientWidth - width - GAP;
  const isBelow = bottom + GAP + height <= window.innerHeight;
  const start = document.dir === "rtl" ? left : right - width;
  box.style.left = `${Math.max(GAP, Math.min(start, room)) + window.scrollX}px`;
  box.style.top = `${(isBelow ? bottom + GAP : top - GAP - height) + window.scrollY}px`;
}

/** @type {(button: HTMLElement, question: string) => void} */
function ask(button, question) {
  const box = make("div", "asks-first");
  box.popover = "auto"; // the browser closes it, and brings the focus back
  box.setAttribute("role", "alertdialog");
  box.setAttribute("aria-label", question);
  const keep = makeButton("asks-keep", () => box.hidePopover());
  keep.textContent = t("Cancel");
  keep.autofocus = true;
  const agree = makeButton("asks-agree", () => {
    box.hidePopover();
    act(button);
  });
  agree.textContent = button.textContent;
  box.append(make("p", "", question), keep, agree);
  box.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "closed") box.remove();
  });
  document.body.append(box);
  button.focus(); // a browser may leave it where it was at a click
  box.showPopover();
  place(box, button);
}

/** Begins to ask. */
export function startAsking() {
  document.addEventListener(
    "click",
    (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest("button");
      const question = button && button !== agreed && questionOf(button);
      if (!question || button.getAttribute("aria-disabled") === "true") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      ask(button, question);
    },
    true, // before Gradio's own
  );
}
