// @ts-check
// Scrolls what a reader has opened into view: its heading first, then as much of the rest as fits.

const GAP_PIXELS = 12; // pixels above the heading
const SETTLED_MILLISECONDS = 1500; // without growth for this long, the page has settled
const UNDRAWN = "[data-ready='0']"; // a view whose value is still on its way
/** Events by which a reader takes over from scrolling by scripts. */
export const READER_EVENTS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** The scroll behaviour that the reader's system setting for motion asks for. */
export const pace = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/** The height of the visible part of a page: a frame may be as high as its page. */
export const seenHeight = () => Math.min(window.innerHeight, window.screen.availHeight);

/**
 * Scrolls only if needed: not if all is visible, nor if the heading is in the upper half.
 * @param {Element} heading
 * @param {Element} last the end of what belongs to it
 */
function bringUp(heading, last) {
  if (!heading.getClientRects().length) return;
  const { top } = heading.getBoundingClientRect();
  const { bottom } = last.getBoundingClientRect();
  const height = seenHeight();
  if (top >= 0 && (bottom <= height || top <= height / 2)) return;
  /** @type {HTMLElement} */ (heading).style.scrollMarginTop ||= `${GAP_PIXELS}px`;
  heading.scrollIntoView({ block: "start", behavior: pace() });
}

/**
 * Keeps an element in view until it has settled, or the reader does something else.
 * @param {Element} heading
 * @param {Element} [last] the end of what belongs to it
 */
export function reveal(heading, last = heading) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (last.querySelector(UNDRAWN) ? wait() : end()), SETTLED_MILLISECONDS);
  };
  // The observer also calls it once at the start.
  const growth = new ResizeObserver(() => {
    bringUp(heading, last);
    wait();
  });
  const end = () => {
    growth.disconnect();
    clearTimeout(timer);
    for (const act of READER_EVENTS) window.removeEventListener(act, end, true);
  };
  for (const act of READER_EVENTS) window.addEventListener(act, end, { capture: true, passive: true });
  growth.observe(document.body);
  growth.observe(last);
}
