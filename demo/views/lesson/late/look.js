// @ts-check
// Points at the part of the page that a step speaks of: an outline, through which clicks go. The dock says its name.
import { make } from "../../shared/dom.js";
import { pace } from "../../shared/reveal.js";
import { keepInSight } from "./place.js";

const FOLLOW_MILLISECONDS = 150;
const TRIES = [6, 20, 60]; // after how many looks a part that is not seen is uncovered
const ACTS = ["wheel", "touchmove", "pointerdown", "keydown"]; // of a reader
const GAP = 6; // pixels between a part and its outline

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

/**
 * What of a part is in sight: a pane may have scrolled some of it away.
 * @param {Element} part
 */
function frame(part) {
  const own = part.getBoundingClientRect();
  const around = part.closest(".tv-pane-body")?.getBoundingClientRect() ?? own;
  const left = Math.max(own.left, around.left) - GAP;
  const top = Math.max(own.top, around.top) - GAP;
  const width = Math.min(own.right, around.right) + GAP - left;
  const height = Math.min(own.bottom, around.bottom) + GAP - top;
  return { left: left + window.scrollX, top: top + window.scrollY, width, height };
}

/** The outline, and what moves it. */
export function createPointer() {
  const outline = make("div", "lesson-look");
  outline.setAttribute("aria-hidden", "true"); // the dock says it
  /** @type {{ name: string, selectors: string } | null} */
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
    const { left, top, width, height } = frame(part);
    outline.hidden = height <= 2 * GAP;
    outline.style.translate = `${left}px ${top}px`;
    outline.style.width = `${width}px`;
    outline.style.height = `${height}px`;
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
    /** @param {{ name: string, selectors: string } | null} part */
    at(part) {
      looked = part;
      looks = 0;
      seenAt = 0;
      isNew = true;
      hasActed = false;
      follow();
    },
    remove() {
      clearInterval(timer);
      for (const event of ACTS) window.removeEventListener(event, act);
      outline.remove();
    },
  };
}
