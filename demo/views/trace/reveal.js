// @ts-check
// Brings what the reader has chosen in a chart into its pane; the page itself stays where it is.

const EDGE = 30; // pixels from the border that are too near to it

/**
 * @param {HTMLElement} card
 * @param {import("./trace_card.js").Chart} chart
 * @param {number} y in the chart's own units
 */
export function revealHeight(card, { box, plane }, y) {
  const pane = /** @type {HTMLElement | null} */ (card.closest(".tv-pane-body"));
  const where = plane();
  if (!pane || !where || pane.classList.contains("tv-at-end")) return;
  const at = box.getBoundingClientRect().top + where.top + where.y(y);
  const { top, bottom } = pane.getBoundingClientRect();
  if (at < top + EDGE || at > bottom - EDGE) pane.scrollTop += at - (top + bottom) / 2;
}
