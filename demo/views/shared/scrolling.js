// @ts-check
// Lets the Tab key reach what scrolls, as long as it does: then the arrow keys move it.

/** @param {HTMLElement} scroller whose children are there already; what is in them may change */
export function reachWhileScrolling(scroller) {
  const watcher = new ResizeObserver(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = scroller;
    if (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1) scroller.tabIndex = 0;
    else if (document.activeElement !== scroller) scroller.removeAttribute("tabindex");
  });
  for (const element of [scroller, ...scroller.children]) watcher.observe(element);
}
