// @ts-check
// Scrolls what a reader has opened into view: its heading first, then as much of the rest as fits. Makes a scrolling
// element focusable while it scrolls and contains nothing focusable: the arrow keys then scroll it.

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

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** @param {HTMLElement} scroller whose children are there already; their content may change */
export function reachWhileScrolling(scroller) {
  const follow = () => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = scroller;
    const scrolls = scrollWidth > clientWidth || scrollHeight > clientHeight;
    if (scrolls && !holdsStop(scroller)) scroller.tabIndex = 0;
    else if (document.activeElement !== scroller) scroller.removeAttribute("tabindex");
  };
  const watcher = new ResizeObserver(follow);
  for (const element of [scroller, ...scroller.children]) watcher.observe(element);
  // A chart may be wider than the box that it is in, whose size is then the same. The frame lays out the page anyway.
  scroller.addEventListener("unrolled:drawn", () => requestAnimationFrame(follow));
}

/** @param {HTMLElement} scroller */
const holdsStop = (scroller) =>
  /** @type {HTMLElement[]} */ ([...scroller.querySelectorAll(FOCUSABLE)]).some(
    (element) => element.tabIndex >= 0 && element.getClientRects().length > 0,
  );
