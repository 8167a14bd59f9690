// @ts-check
// Leads a reader from a step to the part of the page that it describes, then to the numbers of its reveal, and back.
// Covers the parts that would give an answer away, until the reader has predicted it.
import { make } from "../../../widgets/view/dom.js";
import { pace, READER_EVENTS } from "../../../widgets/view/scrolling.js";
import { isNarrow, keepInSight } from "./dock_position.js";
import { createEvidence } from "./evidence.js";

/** @import { Evidence } from "./evidence.js" */

/** @typedef {{ name: string, selectors: string, label: string } | undefined} Part */

const FOLLOW_MILLISECONDS = 150;
const OPENING_ATTEMPTS = [6, 20, 60]; // the attempts after which the pane of an invisible part is opened
const OUTLINE_GAP_PIXELS = 6; // pixels between a part and its outline

/**
 * The largest visible element: a part may have a tab, a card and a caption.
 * @param {string} selectors
 */
function largestVisible(selectors) {
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
 * Opens the tab of a part, and on a small screen its pane.
 * @param {{ name: string, selectors: string }} part
 */
function openPaneOf({ name, selectors }) {
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
 * The visible rectangle of a part; a pane may have scrolled the rest of the part away.
 * @param {Element} part
 */
function visibleRectangle(part) {
  const box = part.getBoundingClientRect();
  const pane = part.closest(".tv-pane-body")?.getBoundingClientRect() ?? box;
  const left = Math.max(box.left, pane.left) - OUTLINE_GAP_PIXELS;
  const top = Math.max(box.top, pane.top) - OUTLINE_GAP_PIXELS;
  const width = Math.min(box.right, pane.right) + OUTLINE_GAP_PIXELS - left;
  const height = Math.min(box.bottom, pane.bottom) + OUTLINE_GAP_PIXELS - top;
  return { left: left + window.scrollX, top: top + window.scrollY, width, height };
}

/** Points at a part: an outline that lets clicks through. The dock names the part. */
function createPointer() {
  const outline = make("div", "lesson-outline");
  outline.setAttribute("aria-hidden", "true"); // the dock names the part
  /** @type {{ name: string, selectors: string } | null} */
  let target = null;
  let isNew = false;
  let hasActed = false; // nothing is scrolled after the reader acts
  let attempts = 0; // attempts to find a part that is not visible
  let seenWidth = 0; // width of the page when the part was last visible, or 0

  // If the page became narrower, its layout hid the part: show it again. If the width is the same, the reader left the
  // part: do not. A page may be laid out before the resize event, so widths are compared.
  function lose() {
    isNew = seenWidth !== window.innerWidth;
    attempts = 0;
    seenWidth = 0;
  }

  function follow() {
    const part = target && largestVisible(target.selectors);
    if (!hasActed) keepInSight(part);
    outline.hidden = !part;
    if (!part) {
      if (seenWidth) lose();
      attempts += 1;
      if (target && isNew && OPENING_ATTEMPTS.includes(attempts)) openPaneOf(target);
      return;
    }
    const { left, top, width, height } = visibleRectangle(part);
    outline.hidden = height <= 2 * OUTLINE_GAP_PIXELS;
    outline.style.translate = `${left}px ${top}px`;
    outline.style.width = `${width}px`;
    outline.style.height = `${height}px`;
    isNew = false;
    seenWidth = window.innerWidth;
  }

  const stopScrolling = () => {
    hasActed = true;
  };
  for (const event of READER_EVENTS) window.addEventListener(event, stopScrolling, { passive: true });

  function show() {
    const part = target && largestVisible(target.selectors);
    part?.scrollIntoView({ block: "start", behavior: pace() });
  }

  document.body.append(outline);
  const timer = setInterval(follow, FOLLOW_MILLISECONDS);

  return {
    show,
    stopScrolling, // called when the page scrolls to the evidence of a step instead
    /** @param {{ name: string, selectors: string } | null} part */
    at(part) {
      target = part;
      for (const folded of part ? document.querySelectorAll(part.selectors) : [])
        if (folded instanceof HTMLDetailsElement) folded.open = true;
      attempts = 0;
      seenWidth = 0;
      isNew = true;
      hasActed = false;
      follow();
    },
    remove() {
      clearInterval(timer);
      for (const event of READER_EVENTS) window.removeEventListener(event, stopScrolling);
      outline.remove();
    },
  };
}

/** @param {{ fold: (isFolded: boolean) => void, placePartButton: (isRevealed: boolean) => void }} frame of the dock */
export function createGuide(frame) {
  /** @type {ReturnType<typeof createPointer> | null} */
  let pointer = null; // null while no lesson is open
  const evidence = createEvidence(() => pointer?.stopScrolling());

  /** @type {(part: Part, facts: Evidence | null) => void} */
  function set(part, facts) {
    evidence.set(facts, part?.selectors);
    frame.placePartButton(facts !== null);
  }

  return {
    /** @param {Part} part that a new step describes */
    begin(part) {
      frame.fold(false);
      set(part, null);
      pointer ??= createPointer();
      pointer.at(part ?? null);
    },
    reveal: set,
    // On a small screen the dock folds to one line, which leads back to the question.
    showPart() {
      frame.fold(isNarrow());
      pointer?.show();
      evidence.show();
    },
    leave() {
      frame.fold(false);
      evidence.set(null);
      pointer?.remove();
      pointer = null;
    },
  };
}

const REPEAT_MILLISECONDS = 300; // a part may be drawn after the others
// Stripes in place of the content, which keeps its size: a blur would still show bars and curves.
const COLOURS = "var(--background-fill-secondary) 0 10px, var(--border-color-primary) 10px 20px";
const STRIPES = `repeating-linear-gradient(135deg, ${COLOURS})`;
const COVER = `user-select: none; color: transparent !important; background: ${STRIPES} !important;`;
// A pane that contains a covered part does not scroll: a scrolling box needs an element that can have the focus,
// and here there may be none.
const COVERED_PANE = ".tv-pane-body:has([inert])";

export function createVeil() {
  const style = make("style");
  document.head.append(style);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Element[]} */
  let covered = [];

  /** @param {string} [selectors] of the parts to cover; without them, all are uncovered */
  return (selectors) => {
    clearInterval(timer);
    for (const element of covered) element.removeAttribute("inert");
    covered = [];
    const hidden = `:is(${selectors}):not([role="tab"])`; // a tab's name does not give the answer away
    const rules = `${hidden} { ${COVER} } ${hidden} * { opacity: 0 !important; } ${COVERED_PANE} { overflow: hidden !important; }`;
    style.textContent = selectors ? rules : "";
    if (!selectors) return;
    // `inert` keeps the keyboard and screen readers away.
    const mark = () => {
      covered = [...document.querySelectorAll(hidden)];
      for (const element of covered) element.setAttribute("inert", "");
    };
    mark();
    timer = setInterval(mark, REPEAT_MILLISECONDS);
  };
}
