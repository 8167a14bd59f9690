// @ts-check
// Scrolls a fold into view when a reader unfolds it: Gradio's accordions and the browser's details.
import { reveal } from "../shared/reveal.js";

const FOLDS = "summary, button.label-wrap"; // the headings; their parent is the fold

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
