// @ts-check
// Scrolls a fold into view when a reader unfolds it: Gradio's accordions and the browser's details.
import { reveal } from "../../widgets/view/scrolling.js";

const FOLDS = "summary, button.label-wrap"; // the headings; their parent is the fold
const PHONE = "(max-width: 480px)"; // the width in workspace.css
const PHONE_FOLDS = "#tabs > .tab-wrapper, .page-header, #command";
const OPENERS = "#tabs > .tab-wrapper [role=tab][aria-selected=true], .tools-open";
const FOLDED_TOOLS = ".page-tools, .chip"; // a press there leaves them unfolded

/** Starts to listen. */
export function startUnfolding() {
  document.addEventListener("click", ({ target }) => {
    const heading = /** @type {HTMLElement} */ (target).closest(FOLDS);
    const fold = heading?.parentElement;
    if (!heading || !fold) return;
    requestAnimationFrame(() => {
      if (heading.matches(".open, details[open] > *")) reveal(heading, fold);
    });
  });
}

/**
 * Starts to follow the folds that only a phone has, by its style sheet: the row of tabs, of which the open one unfolds the
 * others, and the tools behind three dots.
 */
export function startPhoneFolds() {
  // A script that decodes or opens a tab must not fold what the reader has unfolded. In the capture phase the other tab
  // is still selected.
  document.addEventListener("click", (event) => event.isTrusted && onPress(event), true);
  document.addEventListener("keydown", onKey, true); // a widget of Gradio lets no key out
}

/** @param {KeyboardEvent} event */
function onKey({ key, target }) {
  if (key !== "Escape") return;
  for (const holder of openFolds()) {
    if (/** @type {Element} */ (target).closest(FOLDED_TOOLS)) return; // this Escape closes what the tool has opened
    if (holder.contains(/** @type {Element} */ (target))) openerOf(holder)?.focus();
    setOpen(holder, false);
  }
}

/** @param {Event} event */
function onPress({ target }) {
  const pressed = /** @type {HTMLElement} */ (target);
  const opener = matchMedia(PHONE).matches ? pressed.closest(OPENERS) : null;
  const fold = opener?.closest(PHONE_FOLDS);
  const opens = fold && !fold.hasAttribute("data-open");
  for (const holder of openFolds()) if (!holder.contains(pressed.closest(FOLDED_TOOLS))) setOpen(holder, false);
  if (fold && opens) setOpen(fold, true);
}

const openFolds = () => [...document.querySelectorAll(`:is(${PHONE_FOLDS})[data-open]`)];

/** @param {Element} holder @returns {HTMLElement | null} */
const openerOf = (holder) => holder.querySelector(OPENERS);

/** @param {Element} holder @param {boolean} on */
function setOpen(holder, on) {
  holder.toggleAttribute("data-open", on);
  openerOf(holder)?.setAttribute("aria-expanded", String(on));
}
