// @ts-check
// Positions the dock: beside the page; on a small screen below the source, or at the top of another tab.

import { pace, seenHeight } from "../../../widgets/view/scrolling.js";

export const LESSON = "aside.lesson";
const SMALL_SCREEN = "(max-width: 999px)";
const GAP_PIXELS = 12; // pixels above a dock that was moved down
const MIN_VISIBLE_PIXELS = 200; // pixels of a part, before it counts as visible

export const isNarrow = () => matchMedia(SMALL_SCREEN).matches;

/** @param {HTMLElement} root */
export function placeDock(root) {
  const home = /** @type {HTMLElement} */ (document.querySelector("#lesson .html-container, #lesson"));
  const tab = document.querySelector("#tabs > .tabitem:not([style*='none'])");
  if (!isNarrow() || !tab) {
    if (root.parentElement !== home) home.append(root);
    return;
  }
  const source = tab.querySelector("#command-area");
  const target = source ?? tab.firstElementChild;
  if (!target) return;
  if (source && root.previousElementSibling !== source) source.after(root);
  else if (!source && target.firstElementChild !== root) target.prepend(root);
}

/** Moves the dock to where the page is scrolled: its top is in sight, and its buttons as far as they can be. */
export function raiseDock() {
  const root = /** @type {HTMLElement} */ (document.querySelector(LESSON));
  const { top, bottom, height } = root.getBoundingClientRect();
  // The end of a dock that is higher than the screen is read where it is.
  if (isNarrow() || (top < 0 && height > seenHeight() && bottom > MIN_VISIBLE_PIXELS)) return;
  const down = top < 0 ? GAP_PIXELS - top : Math.min(0, Math.max(seenHeight() - bottom - GAP_PIXELS, GAP_PIXELS - top));
  const before = Number.parseFloat(root.style.marginTop) || 0;
  if (down) root.style.marginTop = `${Math.max(0, Math.round(before + down))}px`;
}

/**
 * Moves the dock down to a part far below it, and scrolls both into view. On a small screen only the dock, which
 * scrolling to the part would hide: its button "Look at" leads there after the text.
 * @param {Element | null} part
 */
export function keepInSight(part) {
  const root = /** @type {HTMLElement} */ (document.querySelector(LESSON));
  const top = (/** @type {Element} */ element) => element.getBoundingClientRect().top;
  const far = seenHeight() - MIN_VISIBLE_PIXELS;
  const both = part && !isNarrow() ? [root, part] : [root];
  const raised = Number.parseFloat(root.style.marginTop) || 0;
  const down = isNarrow() || !part ? 0 : top(part) - top(root) + raised;
  const offset = down > far ? Math.round(down) : 0;
  if (Math.abs(offset - raised) > 2) root.style.marginTop = `${offset}px`;
  const tops = both.map(top);
  const scrolled = window.scrollY;
  if (!isNarrow() && scrolled && tops.every((y) => y + scrolled <= far)) {
    window.scrollTo({ top: 0, behavior: pace() }); // there both are visible too, and so are the tabs
    return;
  }
  if (tops.every((y) => y >= 0 && y <= far)) return;
  both[tops.indexOf(Math.min(...tops))].scrollIntoView({ block: "start", behavior: pace() });
}

/**
 * Shows a new step: a lab has its tab to itself, so that it is visible together with the dock.
 * @param {HTMLElement} root
 * @param {string} state the query of the step's state
 */
export function placeStep(root, state) {
  document.documentElement.toggleAttribute("data-lesson-lab", new URLSearchParams(state).has("lab"));
  placeDock(root);
}

matchMedia(SMALL_SCREEN).addEventListener("change", () => {
  const root = /** @type {HTMLElement | null} */ (document.querySelector(LESSON));
  if (root && !root.hidden) placeDock(root);
});
