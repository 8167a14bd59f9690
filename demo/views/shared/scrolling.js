// @ts-check
// Lets the Tab key reach what scrolls, as long as it does and holds nothing else to reach: the arrow keys move it.

const REACHED = "a[href], button, input, select, textarea, summary, [tabindex]";

/** @param {HTMLElement} scroller whose children are there already; what is in them may change */
export function reachWhileScrolling(scroller) {
  const watcher = new ResizeObserver(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = scroller;
    const scrolls = scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
    if (scrolls && !holdsStop(scroller)) scroller.tabIndex = 0;
    else if (document.activeElement !== scroller) scroller.removeAttribute("tabindex");
  });
  for (const element of [scroller, ...scroller.children]) watcher.observe(element);
}

/** @param {HTMLElement} scroller */
const holdsStop = (scroller) =>
  /** @type {HTMLElement[]} */ ([...scroller.querySelectorAll(REACHED)]).some(
    (each) => each.tabIndex >= 0 && each.getClientRects().length > 0,
  );
