// @ts-check
// Plotly: fetched once for a page, drawn in the page's colours, kept to its box. Knows no trace.

import { t } from "../translate.js";
import { createPainting, unpainted } from "./painting.js";

/** @typedef {{ data: any[], layout: any }} Figure in the light page's colours */
/** @typedef {Record<string, string>} Colours others by those of the light page */

/**
 * Fetched when a page first asks for it; without an address the page has it already.
 * @param {string | undefined} source
 * @returns {Promise<any>}
 */
export function loadPlotly(source) {
  if (!source)
    return window.Plotly ? Promise.resolve(window.Plotly) : Promise.reject(new Error(t("Plotly is missing")));
  const url = new URL(source, document.baseURI).href;
  const known = [...document.scripts].find((other) => other.src === url && other.whenLoaded);
  if (known?.whenLoaded) return known.whenLoaded;
  const script = document.createElement("script");
  script.src = url;
  script.async = true;
  // On the element, so that a second view on the page waits for the same script.
  script.whenLoaded = new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error(t("Plotly could not be loaded"))));
  });
  document.head.append(script);
  return script.whenLoaded;
}

const DATA_KEYS = new Set(["x", "y", "z", "text", "customdata", "hovertext"]);

/**
 * @param {any} value of a figure, or a part of it
 * @param {Colours} colours
 * @param {string} [key] the name that it has in what it is a part of
 * @returns {any}
 */
function recolour(value, colours, key) {
  if (typeof value === "string") return colours[value] ?? value;
  if (value === null || typeof value !== "object" || DATA_KEYS.has(key ?? "")) return value;
  if (Array.isArray(value)) return value.map((item) => recolour(item, colours));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, recolour(item, colours, name)]));
}

const TRANSPARENT = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
const CHART_CONFIG = {
  displaylogo: false,
  plotlyServerURL: "",
  // Plotly would write the address of the page into what cuts charts to their frames, and the address changes.
  _baseUrl: "",
  modeBarButtonsToRemove: ["sendChartToCloud", "toImage", "select2d", "lasso2d", "autoScale2d"],
};

/**
 * @param {HTMLElement} root of the view
 * @param {any} box where it is drawn, within the element that scrolls; Plotly adds to it
 * @param {Promise<any>} plotly
 * @param {{ painted?: boolean }} [how] painted: by us rather than by Plotly, for figures that hold no more than we paint
 */
export function createChart(root, box, plotly, { painted = false } = {}) {
  const scroller = /** @type {HTMLElement} */ (box.parentElement);
  /** @type {Figure} */
  let figure; // none before it is drawn, or once it was cleared
  /** @type {Colours} */
  let dark = {};
  /** @type {Colours} */
  let colours = {}; // of the page when the figure was drawn
  let width = 0;
  /** @type {[string, (event: any) => void][]} */
  const handlers = [];
  let listening = false;
  /** @type {(event: string, handler: (event: any) => void) => void} */
  const on = (event, handler) => void handlers.push([event, handler]);
  const painting = painted ? createPainting(box) : null;
  if (painting) for (const moved of ["plotly_relayouting", "plotly_relayout"]) on(moved, painting.again);

  const isDark = () => Boolean(root.closest(".dark"));
  function coloursNow() {
    const card = /** @type {Element} */ (box.closest(".tv-pane") ?? box.closest(".tv-card"));
    const behind = getComputedStyle(card).backgroundColor;
    return { ...(isDark() ? dark : {}), [figure.layout.paper_bgcolor]: behind };
  }

  /** @type {(nextFigure: Figure, darkColours?: Colours) => Promise<void>} */
  async function draw(nextFigure, darkColours = dark) {
    figure = nextFigure;
    dark = darkColours;
    // What the page says is read before any chart is drawn: each reading after that would lay the page out again.
    width = Math.floor(scroller.clientWidth);
    colours = coloursNow();
    const { fontFamily } = getComputedStyle(root);
    const Plotly = await plotly;
    const layout = recolour(figure.layout, colours);
    const data = recolour(figure.data, colours);
    Object.assign(layout, { width: Math.max(width, figure.layout.meta.min_width) });
    layout.font = { ...layout.font, family: fontFamily };
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the box
    const plotted = painting ? unpainted({ data, layout }) : { data, layout };
    painting?.clear();
    await Plotly.react(box, plotted.data, { ...plotted.layout, ...TRANSPARENT }, CHART_CONFIG);
    painting?.paint({ data, layout });
    if (!listening) for (const [event, handler] of handlers) box.on(event, handler);
    listening = true;
  }

  /**
   * Marks over a drawn figure: moves them without drawing the data again.
   * @param {any[]} shapes
   */
  async function mark(shapes) {
    const Plotly = await plotly;
    if (!figure || !box.data) return;
    figure.layout.shapes = shapes;
    const coloured = recolour(shapes, colours);
    if (painting) painting.mark(coloured);
    else await Plotly.relayout(box, { shapes: coloured });
  }

  /** @type {(format: string, filename: string) => Promise<void>} */
  async function download(format, filename) {
    const Plotly = await plotly;
    const size = { width: box.clientWidth, height: figure.layout.height };
    await Plotly.downloadImage(
      { data: figure.data, layout: { ...figure.layout, ...size } },
      { format, filename, scale: 2, ...size },
    );
  }

  /** @returns {Promise<Blob>} a PNG */
  async function picture() {
    const Plotly = await plotly;
    const size = { width: box.clientWidth, height: figure.layout.height };
    const data = { data: figure.data, layout: { ...figure.layout, ...size } };
    const url = await Plotly.toImage(data, { format: "png", scale: 2, ...size });
    // Not by `fetch`, which an exported page forbids itself.
    const bytes = Uint8Array.from(atob(url.split(",")[1]), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: "image/png" });
  }

  async function clear() {
    figure = /** @type {any} */ (undefined);
    if (box.data) (await plotly).purge(box);
    listening = false; // Plotly forgets its listeners with the figure
  }

  const redraw = () => {
    if (figure && box.data) draw(figure).catch(console.error);
  };
  const theme = new MutationObserver(() => {
    if (box.isConnected) redraw();
    else theme.disconnect();
  });
  theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  new ResizeObserver(() => {
    if (Math.abs(scroller.clientWidth - width) > 1 && scroller.clientWidth) redraw();
  }).observe(scroller);

  return { box, scroller, on, draw, mark, download, picture, clear };
}

/**
 * For Plotly, which reads tags in what it draws.
 * @param {string} text
 */
export function plotlyText(text, limit = 80) {
  const shown = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return shown.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
