// @ts-check
// Points at the part of the page that a step speaks of: an outline with a label, through which clicks go.
import { make } from "../../shared/dom.js";
import { keepInSight, pace } from "./place.js";

const FOLLOW_MILLISECONDS = 150;
const TRIES = [6, 20, 60]; // after how many looks a part that is not seen is uncovered
const ACTS = ["wheel", "touchmove", "pointerdown", "keydown"]; // of a reader
const GAP = 4; // pixels between a part and its outline

/**
 * The largest of the elements that are on the page: a part may have a tab, a card and a caption.
 * @param {string} selectors
 */
function seen(selectors) {
  let most = 1; // square pixels
  let largest = null;
  for (const element of document.querySelectorAll(selectors)) {
    const { width, height } = element.getBoundingClientRect();
    if (width * height <= most || getComputedStyle(element).visibility === "hidden") continue;
    most = width * height;
    largest = element;
  }
  return largest;
}

/**
 * Opens the tab of a card, and on a small screen the pane that it stands in.
 * @param {{ name: string, selectors: string }} part
 */
function uncover({ name, selectors }) {
  for (const element of document.querySelectorAll(selectors)) {
    const view = element.closest(".trace-view");
    const pane = /** @type {HTMLElement | null} */ (element.closest(".tv-pane"))?.dataset.pane;
    if (!view || !pane) continue;
    /** @type {HTMLElement | null} */ (view.querySelector(`[data-pane-shown="${pane}"]`))?.click();
    /** @type {HTMLElement | null} */ (view.querySelector(`[data-tab="${name}"]`))?.click();
    return;
  }
}

/** The outline, and what moves it. */
export function createPointer() {
  const outline = make("div", "lesson-look");
  const label = make("span", "lesson-look-label");
  outline.append(label);
  outline.setAttribute("aria-hidden", "true"); // the dock says it
  /** @type {{ name: string, selectors: string, label: string } | null} */
  let looked = null;
  let isNew = false;
  let hasActed = false; // then nothing is scrolled any more: the reader does it
  let looks = 0; // at a part that was not seen yet
  let seenAt = 0; // width of the page at which the part was seen last, or 0

  // A narrower page shows one pane at a time: what that covers is uncovered anew, what the reader has turned away
  // from is not. The width tells them apart: a page may be laid out before it hears that it was resized.
  function lose() {
    isNew = seenAt !== window.innerWidth;
    looks = 0;
    seenAt = 0;
  }

  function follow() {
    const part = looked && seen(looked.selectors);
    if (!hasActed) keepInSight(part);
    outline.hidden = !part;
    if (!part) {
      if (seenAt) lose();
      looks += 1;
      if (looked && isNew && TRIES.includes(looks)) uncover(looked);
      return;
    }
    const { left, top, width, height } = part.getBoundingClientRect();
    outline.style.translate = `${left + window.scrollX - GAP}px ${top + window.scrollY - GAP}px`;
    outline.style.width = `${width + 2 * GAP}px`;
    outline.style.height = `${height + 2 * GAP}px`;
    isNew = false;
    seenAt = window.innerWidth;
  }

  const act = () => {
    hasActed = true;
  };
  for (const event of ACTS) window.addEventListener(event, act, { passive: true });

  function show() {
    const part = looked && seen(looked.selectors);
    part?.scrollIntoView({ block: "start", behavior: pace() });
  }

  document.body.append(outline);
  const timer = setInterval(follow, FOLLOW_MILLISECONDS);

  return {
    show,
    /** @param {{ name: string, selectors: string, label: string } | null} part */
    at(part) {
      looked = part;
      looks = 0;
      seenAt = 0;
      isNew = true;
      hasActed = false;
      label.textContent = part?.label ?? "";
      follow();
    },
    remove() {
      clearInterval(timer);
      for (const event of ACTS) window.removeEventListener(event, act);
      outline.remove();
    },
  };
}
