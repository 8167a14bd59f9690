// @ts-check
// Draws what can be seen; what is hidden waits until it is shown.

/** @import { Card } from "./trace_card.js" */
/** @import { Change } from "./selection.js" */

/** @param {Element} element */
const isVisible = (element) => element.getClientRects().length > 0;

/**
 * @param {Map<HTMLElement, Card>} cards by their elements
 * @param {(task: () => any) => void} inTurn one task after the other
 */
export function createVisibleCharts(cards, inTurn) {
  const drawn = new Map([...cards].filter(([, card]) => card.draw));
  /** @type {Set<Element>} */
  const outdated = new Set(); // what has to be drawn anew before it is seen

  /** @param {HTMLElement} element */
  async function drawIfSeen(element) {
    if (!outdated.has(element) || !isVisible(element)) return;
    outdated.delete(element);
    await drawn.get(element)?.draw?.();
  }

  const draw = () => Promise.all([...drawn.keys()].map(drawIfSeen));

  // A tab is opened, or the page comes back to the tab of the view.
  const watcher = new ResizeObserver((entries) => {
    if (entries.some(({ target }) => outdated.has(target) && isVisible(target))) inTurn(draw);
  });
  for (const element of drawn.keys()) watcher.observe(element);

  return {
    draw,
    outdate() {
      for (const element of drawn.keys()) outdated.add(element);
    },
    /** @param {Change} change */
    follow: (change) =>
      Promise.all(
        [...drawn].map(([element, card]) => {
          if (isVisible(element)) return outdated.has(element) ? drawIfSeen(element) : card.follow?.(change);
          outdated.add(element);
          return undefined;
        }),
      ),
  };
}
