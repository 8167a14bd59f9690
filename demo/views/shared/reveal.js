// @ts-check
// Brings what a reader has opened into sight: its heading first, then as much of the rest as there is room for.

const GAP = 12; // pixels above the heading
const SETTLED_MILLISECONDS = 1500; // what is opened may still grow, and so may what stands above it
const ACTS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** How fast the page may be scrolled, as the reader has asked of the system. */
export const pace = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/** The part of a page that can be seen: a frame may be as high as its page. */
export const seenHeight = () => Math.min(window.innerHeight, window.screen.availHeight);

/**
 * Scrolls only where it must: not where all is in sight, and not where the heading stands in the upper half.
 * @param {Element} heading
 * @param {Element} last the end of what belongs to it
 */
function bringUp(heading, last) {
  if (!heading.getClientRects().length) return;
  const { top } = heading.getBoundingClientRect();
  const { bottom } = last.getBoundingClientRect();
  const height = seenHeight();
  if (top >= 0 && (bottom <= height || top <= height / 2)) return;
  /** @type {HTMLElement} */ (heading).style.scrollMarginTop ||= `${GAP}px`;
  heading.scrollIntoView({ block: "start", behavior: pace() });
}

/**
 * Keeps it in sight until it has settled, or the reader does something else.
 * @param {Element} heading
 * @param {Element} [last] the end of what belongs to it
 */
export function reveal(heading, last = heading) {
  const growth = new ResizeObserver(() => bringUp(heading, last)); // it also looks at once
  const end = () => {
    growth.disconnect();
    clearTimeout(timer);
    for (const act of ACTS) window.removeEventListener(act, end, true);
  };
  const timer = setTimeout(end, SETTLED_MILLISECONDS);
  for (const act of ACTS) window.addEventListener(act, end, { capture: true, passive: true });
  growth.observe(document.body);
  growth.observe(last);
}
