// @ts-check
// The space of a chart: the element that scrolls it, its width, and whether it fills the screen.

/**
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} box where the chart is drawn
 */
export function createRoom(root, box) {
  const frame = /** @type {HTMLElement} */ (box.parentElement);
  // A pane scrolls its cards, except views of Inspect, whose charts stand side by side.
  const pane = frame.closest(".tv-inspect-chart") ? null : frame.closest(".tv-pane-body");
  const scroller = /** @type {HTMLElement} */ (pane ?? frame);
  const card = /** @type {HTMLElement | null} */ (frame.closest(".tv-card"));

  /** The width in pixels without the padding of the card. */
  function across() {
    if (!pane || !card) return Math.floor(frame.clientWidth);
    const { paddingLeft, paddingRight } = getComputedStyle(card);
    return Math.floor(pane.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
  }

  /** The height that the rest of the card leaves free. */
  function down() {
    const body = /** @type {HTMLElement | null} */ (frame.closest(".tv-pane-body"));
    return body && card ? body.clientHeight - (card.offsetHeight - frame.offsetHeight) : 0;
  }

  return {
    scroller,
    measure() {
      const fills = root.classList.contains("tv-filling");
      return { width: Math.max(0, across()), height: fills ? down() : 0, fills };
    },
    /** @param {() => void} onChange */
    watch(onChange) {
      new ResizeObserver(onChange).observe(scroller);
    },
  };
}
