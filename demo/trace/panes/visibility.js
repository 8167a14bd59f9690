// @ts-check
// Draws the visible charts, hidden ones when they are shown; and scrolls what the reader has chosen into view within its
// pane. The page itself stays where it is.

/** @import { Card, Change, Chart } from "../trace_card.js" */

const VISIBLE_PIXELS = 20; // pixels of the part at the end of a card that must be visible
const EDGE_PIXELS = 48; // pixels from a pane's border within which something counts as out of view
const SCROLLER = ".tv-pane-body"; // the part of a pane that scrolls its cards
/** @type {Map<Element, ResizeObserver>} */
const atEnd = new Map(); // panes that show the part at the end of a card

/** @param {Map<HTMLElement, Card>} cards @param {(task: () => any) => void} inTurn one task after the other */
export function createVisibleCharts(cards, inTurn) {
  /** @type {Set<Element>} */
  const ends = new Set(); // visible parts at the end of a card, to which a reader may never scroll
  /** @param {Element} element */
  const isVisible = (element) =>
    element.getClientRects().length > 0 &&
    (!element.matches(".tv-within") || (ends.has(element) && !element.querySelector(":scope > details:not([open])")));
  const drawn = new Map([...cards].filter(([, card]) => card.draw));
  /** @type {Set<HTMLElement>} */
  const outdated = new Set(); // elements that must be drawn again before they are seen

  /** @param {HTMLElement} element */
  const drawIfSeen = async (element) => isVisible(element) && drawIfOutdated(element);

  /** @param {HTMLElement} element */
  async function drawIfOutdated(element) {
    if (!outdated.has(element)) return;
    outdated.delete(element);
    try {
      await drawn.get(element)?.draw?.();
    } catch (error) {
      if (window.Plotly) console.error(error); // the chart's box shows a sentence without Plotly
    }
  }

  /** @param {HTMLElement} element */
  const isCurrent = (element) => !outdated.has(element);

  // All are drawn first: reading the page between two drawings would force a layout.
  /** @type {(elements: HTMLElement[], change?: Change) => void} */
  function reveal(elements, change) {
    for (const element of elements) drawn.get(element)?.reveal?.(change);
  }

  async function draw() {
    const waiting = [...outdated];
    await Promise.all([...drawn.keys()].map(drawIfSeen));
    reveal(waiting.filter(isCurrent));
  }

  // Called when a tab is opened, or the page returns to the tab of the view.
  const watcher = new ResizeObserver((entries) => {
    if (entries.some(({ target }) => outdated.has(/** @type {HTMLElement} */ (target)) && isVisible(target)))
      inTurn(draw);
  });
  for (const element of drawn.keys()) {
    watcher.observe(element);
    if (!element.matches(".tv-within")) continue;
    const rootMargin = `0px 0px -${VISIBLE_PIXELS}px 0px`;
    new IntersectionObserver(onScroll, { root: element.closest(SCROLLER), rootMargin }).observe(element);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  function onScroll(entries) {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) ends.add(target);
      else ends.delete(target);
    if (entries.some(({ isIntersecting }) => isIntersecting)) inTurn(draw);
  }

  return {
    draw,
    /** Draws a chart that may never have been visible, for a download. */
    drawIfOutdated,
    outdate() {
      for (const element of drawn.keys()) outdated.add(element);
    },
    /** @param {Change} change */
    async follow(change) {
      const visible = [...drawn.keys()].filter(isVisible);
      for (const element of drawn.keys()) if (!visible.includes(element)) outdated.add(element);
      await Promise.all(
        visible.map((element) => (isCurrent(element) ? drawn.get(element)?.follow?.(change) : drawIfSeen(element))),
      );
      reveal(visible, change);
    },
  };
}

/** @type {(card: HTMLElement, row: HTMLElement, head: HTMLElement) => void} a table's row, below its fixed head */
export function revealRow(card, row, head) {
  const pane = card.closest(SCROLLER);
  if (!pane) return;
  const [frame, here] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
  const top = frame.top + head.getBoundingClientRect().height;
  if (here.top < top) pane.scrollTop += here.top - top;
  else if (here.bottom > frame.bottom) pane.scrollTop += here.bottom - frame.bottom;
}

/** @type {(card: HTMLElement, chart: Chart, y: number) => void} a height in the chart's own units */
export function revealHeight(card, { box, plane }, y) {
  const pane = card.closest(SCROLLER);
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
