// @ts-check
// Brings what the reader has chosen in a chart into its pane; the page itself stays where it is.

const EDGE = 48; // pixels from the border that are too near to it, or below what stays in sight above

/** @param {HTMLElement} card @returns {HTMLElement | null} what scrolls it */
const paneOf = (card) => card.closest(".tv-pane-body");

/**
 * @param {HTMLElement} card
 * @param {HTMLElement} row of a table
 * @param {HTMLElement} head of the table, which stays in sight
 */
export function revealRow(card, row, head) {
  const pane = paneOf(card);
  if (!pane) return;
  const [frame, here] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
  const top = frame.top + head.getBoundingClientRect().height;
  if (here.top < top) pane.scrollTop += here.top - top;
  else if (here.bottom > frame.bottom) pane.scrollTop += here.bottom - frame.bottom;
}

/**
 * @param {HTMLElement} card
 * @param {import("./trace_card.js").Chart} chart
 * @param {number} y in the chart's own units
 */
export function revealHeight(card, { box, plane }, y) {
  const pane = paneOf(card);
  const where = plane();
  if (!pane || !where || pane.classList.contains("tv-at-end")) return;
  const at = box.getBoundingClientRect().top + where.top + where.y(y);
  const { top, bottom } = pane.getBoundingClientRect();
  if (at < top + EDGE || at > bottom - EDGE) pane.scrollTop += at - (top + bottom) / 2;
}
