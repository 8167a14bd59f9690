// @ts-check
// Where the dock stands: beside the page, or on a small screen below the source, at the top of any other tab.

import { pace, seenHeight } from "../../shared/reveal.js";

const NARROW = "(max-width: 999px)";
const SEEN = 200; // pixels of a part, at least, before it counts as in view

const isNarrow = () => matchMedia(NARROW).matches;

/** @param {HTMLElement} root */
export function placeDock(root) {
  const home = /** @type {HTMLElement} */ (document.querySelector("#lesson .html-container, #lesson"));
  const tab = document.querySelector("#tabs > .tabitem:not([style*='none'])");
  if (!isNarrow() || !tab) {
    if (root.parentElement !== home) home.append(root);
    return;
  }
  const source = tab.querySelector("#command-area");
  const place = source ?? tab.firstElementChild;
  if (!place) return;
  if (source && root.previousElementSibling !== source) source.after(root);
  else if (!source && place.firstElementChild !== root) place.prepend(root);
}

/**
 * Brings the dock down to a part that stands far below it, and both into view. On a small screen the dock
 * alone, which the part would scroll away: its line "Look at" leads there when the text has been read.
 * @param {Element | null} part
 */
export function keepInSight(part) {
  const root = /** @type {HTMLElement} */ (document.querySelector("aside.lesson"));
  const top = (/** @type {Element} */ each) => each.getBoundingClientRect().top;
  const far = seenHeight() - SEEN;
  const both = part && !isNarrow() ? [root, part] : [root];
  const raised = Number.parseFloat(root.style.marginTop) || 0;
  const down = isNarrow() || !part ? 0 : top(part) - top(root) + raised;
  const wanted = down > far ? Math.round(down) : 0;
  if (Math.abs(wanted - raised) > 2) root.style.marginTop = `${wanted}px`;
  const tops = both.map(top);
  const scrolled = window.scrollY;
  if (!isNarrow() && scrolled && tops.every((each) => each + scrolled <= far)) {
    window.scrollTo({ top: 0, behavior: pace() }); // both are in sight there too, and so are the tabs
    return;
  }
  if (tops.every((each) => each >= 0 && each <= far)) return;
  both[tops.indexOf(Math.min(...tops))].scrollIntoView({ block: "start", behavior: pace() });
}

/**
 * Shows a new step: a lab stands alone in its tab, so that it and the dock are in sight together.
 * @param {HTMLElement} root
 * @param {string} state the query of the step's state
 */
export function placeStep(root, state) {
  document.documentElement.toggleAttribute("data-lesson-lab", new URLSearchParams(state).has("lab"));
  placeDock(root);
}

matchMedia(NARROW).addEventListener("change", () => {
  const root = /** @type {HTMLElement | null} */ (document.querySelector("aside.lesson"));
  if (root && !root.hidden) placeDock(root);
});
