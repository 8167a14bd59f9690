// @ts-check
// Asks for confirmation beside a button that deletes something, so that a double click does not delete. Escape, a click
// elsewhere and Cancel change nothing.
import { make, makeButton } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

const GAP_PIXELS = 8; // pixels between the button and the question

/** @type {Record<string, () => string>} the questions of Gradio's buttons, by id; our own buttons name theirs */
const QUESTIONS = {
  "run-remove": () => t("Remove this run and its checkpoint?"),
  "train-forget": () => t("Forget all your corrections?"),
};

/** @param {HTMLElement} button */
const questionOf = (button) => button.dataset.question ?? QUESTIONS[button.id]?.();

let agreed = /** @type {HTMLElement | null} */ (null); // the button whose next click is confirmed

/** @param {HTMLElement} button */
function act(button) {
  agreed = button;
  button.click();
  agreed = null;
}

/** @type {(box: HTMLElement, button: HTMLElement) => void} puts the box below or above the button, within the window */
function position(box, button) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const room = document.documentElement.clientWidth - width - GAP_PIXELS;
  const isBelow = bottom + GAP_PIXELS + height <= window.innerHeight;
  const start = document.dir === "rtl" ? left : right - width;
  box.style.left = `${Math.max(GAP_PIXELS, Math.min(start, room)) + window.scrollX}px`;
  box.style.top = `${(isBelow ? bottom + GAP_PIXELS : top - GAP_PIXELS - height) + window.scrollY}px`;
}

/** @type {(button: HTMLElement, question: string) => void} */
function ask(button, question) {
  document.querySelector(".asks-first")?.remove(); // a double click's first question leaves only with a later event
  const box = make("div", "asks-first");
  box.popover = "auto"; // the browser closes it and restores the focus
  box.setAttribute("role", "alertdialog");
  box.setAttribute("aria-label", question);
  const keep = makeButton("asks-keep", () => box.hidePopover(), t("Cancel"));
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
  button.focus(); // not every browser focuses a clicked button
  box.showPopover();
  position(box, button);
}

/** Starts to intercept clicks on such buttons. */
export function startConfirmations() {
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
    true, // the capture phase: Gradio's own listeners come later
  );
}
