// @ts-check
// Scrolls what the reader has chosen in a chart into view within its pane; the page itself stays where it is.

const EDGE_PIXELS = 48; // pixels from a pane's border within which something counts as out of view
/** @type {Map<HTMLElement, ResizeObserver>} */
const atEnd = new Map(); // panes that show the part at the end of a card

/** @param {HTMLElement} card @returns {HTMLElement | null} the element that scrolls it */
const paneOf = (card) => card.closest(".tv-pane-body");

/**
 * @param {HTMLElement} card
 * @param {HTMLElement} row of a table
 * @param {HTMLElement} head of the table, which stays visible
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
 * @param {import("../trace_card.js").Chart} chart
 * @param {number} y in the chart's own units
 */
export function revealHeight(card, { box, plane }, y) {
  const pane = paneOf(card);
  const currentPlane = plane();
  if (!pane || !currentPlane || atEnd.has(pane)) return;
  const pageY = box.getBoundingClientRect().top + currentPlane.top + currentPlane.y(y);
  const frame = pane.getBoundingClientRect();
  const [top, bottom] = [frame.top + EDGE_PIXELS, frame.bottom - EDGE_PIXELS];
  if (pageY < top) pane.scrollTop += pageY - top;
  else if (pageY > bottom) pane.scrollTop += pageY - bottom; // no further: the steps' numbers stay in view
}

/**
 * Scrolls a pane to the part at the end of its card, also as that grows, until the reader scrolls.
 * @param {HTMLElement} pane
 * @param {HTMLElement | null} part null: the pane shows its card from the top again
 */
export function revealEnd(pane, part) {
  leaveEnd(pane);
  if (!part) return;
  const watcher = new ResizeObserver(() => {
    pane.scrollTop += part.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  });
  watcher.observe(part);
  atEnd.set(pane, watcher);
  for (const kind of ["wheel", "pointerdown", "keydown"])
    pane.addEventListener(kind, () => leaveEnd(pane), { once: true, passive: true });
}

/** @param {HTMLElement} pane */
function leaveEnd(pane) {
  atEnd.get(pane)?.disconnect();
  atEnd.delete(pane);
}
