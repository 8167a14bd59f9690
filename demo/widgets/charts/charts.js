// @ts-check
// Charts in the page's colours, as wide as their box, and larger on the full screen.
import { createPainted, createPlotted } from "./boxes.js";
import { factorFor, hintLetters, labelsFor, scaleFigure, withCaption } from "./figures.js";

/** @import { Caption } from "./figures.js" */
/** @import { LoadPlotly } from "./plotly.js" */

/** @typedef {{ data: any[], layout: any }} Figure in the light page's colours */
/** @typedef {Record<string, string>} Colours replacements, by the colours of the light page */

const SCREEN_TO_PANE = 2.4; // width of a screen relative to a pane, for a chart that was never in a pane
const DATA_KEYS = new Set(["x", "y", "z", "text", "customdata", "hovertext"]);

/**
 * @param {any} value of a figure, or a part of it
 * @param {Colours} colours
 * @param {string} [key] its name in the object that contains it
 * @returns {any}
 */
function recolour(value, colours, key) {
  if (typeof value === "string") return colours[value] ?? value;
  if (value === null || typeof value !== "object" || DATA_KEYS.has(key ?? "")) return value;
  if (Array.isArray(value)) return value.map((item) => recolour(item, colours));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, recolour(item, colours, name)]));
}

/**
 * A chart that Plotly draws.
 * @param {HTMLElement} root of the view
 * @param {any} box where it is drawn, within the element that scrolls; Plotly adds properties to it
 * @param {LoadPlotly} plotly
 */
export const createChart = (root, box, plotly) => chartOf(root, box, plotly, createPlotted(box, plotly));

/**
 * A chart that appears at once, for figures that contain only what we can paint ourselves.
 * @param {HTMLElement} root of the view
 * @param {any} box where it is drawn, within the element that scrolls
 * @param {LoadPlotly} plotly
 */
export const createPaintedChart = (root, box, plotly) => chartOf(root, box, plotly, createPainted(box, plotly));

/**
 * @param {HTMLElement} root
 * @param {any} box
 * @param {LoadPlotly} plotly
 * @param {ReturnType<typeof createPainted>} drawing
 */
function chartOf(root, box, plotly, drawing) {
  const room = createRoom(root, box);
  box.translate = false; // tokens, beside titles that are in the page's language already
  /** @type {Figure | null} */
  let figure = null; // null before it is drawn and after it is cleared
  let drawn = false;
  /** @type {Colours} */
  let dark = {};
  /** @type {Colours} */
  let colours = {}; // the page's colours when the figure was drawn
  let size = { width: 0, height: 0, fills: false }; // the space for the chart, in pixels
  let usual = 0; // width of the space when it is not the full screen
  let drawnWidth = 0; // width before scaling
  let isLate = false; // the space or the colours have changed while the chart is drawn for the first time
  let factor = 1;
  /** @type {number[]} */
  let labelled = []; // values of points that have a label
  let onFilled = () => {}; // called after the chart was drawn for the full screen, or for its pane again

  const isDark = () => Boolean(root.closest(".dark"));
  /** @param {Figure} next */
  function coloursNow({ layout }) {
    const card = /** @type {Element} */ (box.closest(".tv-pane") ?? box.closest(".tv-card"));
    const behind = getComputedStyle(card).backgroundColor;
    return { ...(isDark() ? dark : {}), [layout.paper_bgcolor]: behind };
  }

  /** @type {(nextFigure: Figure, darkColours?: Colours) => Promise<void>} */
  async function draw(nextFigure, darkColours = dark) {
    figure = nextFigure;
    dark = darkColours;
    // All charts measure the page before the first one is drawn: measuring after that would force another layout.
    size = room.measure();
    if (!size.fills) usual = size.width;
    const { height, meta } = figure.layout;
    drawnWidth = Math.min(Math.max(usual || size.width / SCREEN_TO_PANE, meta.min_width), meta.max_width ?? Infinity);
    factor = size.fills ? factorFor(figure, { width: drawnWidth, height }, size) : 1;
    // If the letters alone need more than the screen, the figure becomes as narrow as it may be.
    if (size.fills) drawnWidth = Math.max(meta.min_width, Math.min(drawnWidth, size.width / factor));
    colours = coloursNow(figure);
    const { fontFamily } = getComputedStyle(root);
    const annotations = [...(figure.layout.annotations ?? []), ...labelsFor(figure, labelled)];
    const layout = scaleFigure(recolour({ ...figure.layout, annotations, width: drawnWidth }, colours), factor);
    const data = scaleFigure(recolour(figure.data, colours), factor);
    layout.font = { ...layout.font, family: fontFamily };
    if (size.fills) layout.hoverlabel = { ...layout.hoverlabel, ...hintLetters(factor) };
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger then scrolls the box
    await drawing.draw({ data, layout });
    box.dispatchEvent(new Event("unrolled:drawn", { bubbles: true }));
    drawn = figure !== null;
    if (!isLate) return;
    isLate = false;
    await redraw();
  }

  /**
   * Sets the marks over a drawn figure without drawing the data again.
   * @param {any[]} shapes
   */
  async function mark(shapes) {
    if (!figure || !drawn) return;
    figure.layout.shapes = shapes;
    await drawing.mark(scaleFigure(recolour(shapes, colours), factor));
  }

  /** @type {(caption: Caption) => ReturnType<typeof withCaption>} */
  const file = (caption) => withCaption(/** @type {Figure} */ (figure), drawnWidth, caption);

  /** @type {(format: string, filename: string, caption: Caption) => Promise<void>} */
  async function download(format, filename, caption) {
    const Plotly = await plotly();
    const { data, layout, ...size } = file(caption);
    await Plotly.downloadImage({ data, layout }, { format, filename, scale: 2, ...size });
  }

  /** @type {(caption: Caption) => Promise<Blob>} a PNG */
  async function picture(caption) {
    const Plotly = await plotly();
    const { data, layout, ...size } = file(caption);
    const url = await Plotly.toImage({ data, layout }, { format: "png", scale: 2, ...size });
    // An exported page's policy forbids `fetch`.
    const bytes = Uint8Array.from(atob(url.split(",")[1]), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: "image/png" });
  }

  async function clear() {
    figure = null;
    drawn = false;
    await drawing.clear();
  }

  async function redraw() {
    if (figure && drawn) await draw(figure).catch(console.error);
    else isLate = figure !== null;
  }
  // A lesson names the values that its reveal speaks of.
  box.addEventListener("unrolled:label", (/** @type {CustomEvent<number[]>} */ { detail }) => {
    const before = figure && drawn ? JSON.stringify(labelsFor(figure, labelled)) : "";
    labelled = detail;
    if (figure && drawn && JSON.stringify(labelsFor(figure, labelled)) !== before) redraw();
  });
  const theme = new MutationObserver(() => {
    if (box.isConnected) redraw();
    else theme.disconnect();
  });
  theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  room.watch(() => {
    const { width, height, fills } = room.measure();
    const taller = fills && Math.abs(height - size.height) > 1;
    const isOther = fills !== size.fills;
    if (width && (Math.abs(width - size.width) > 1 || isOther || taller)) redraw().then(() => isOther && onFilled());
  });

  /** @param {() => void} handler */
  const onFill = (handler) => {
    onFilled = handler;
  };
  const { on, plane } = drawing;
  return { box, scroller: room.scroller, on, plane, onFill, draw, mark, download, picture, clear };
}

/**
 * The space of a chart: the element that scrolls it, its width, and whether it fills the screen.
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} box where the chart is drawn
 */
function createRoom(root, box) {
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
