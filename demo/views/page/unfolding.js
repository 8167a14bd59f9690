// @ts-check
// What folds is brought into sight when a reader unfolds it: Gradio's accordions, and the browser's own.
import { reveal } from "../shared/reveal.js";

const FOLDS = "summary, button.label-wrap"; // what is pressed; the fold itself is around it

/** Begins to follow the page. */
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
