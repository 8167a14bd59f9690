// @ts-check
// Makes a scrolling element focusable while it scrolls and contains nothing focusable: the arrow keys then scroll it.

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
