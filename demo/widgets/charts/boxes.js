// @ts-check
// The box of a chart: Plotly draws in it; or we paint it ourselves, at once, and Plotly is loaded when a pointer enters,
// for hints and zooming.
import { t } from "../view/translate.js";
import { createPainting, withoutPainting } from "./painting.js";
import { plannedPlane, plottedPlane, pointAt } from "./plane.js";

/** @import { Figure } from "./charts.js" */
/** @import { LoadPlotly } from "./plotly.js" */

const TRANSPARENT = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
const CHART_CONFIG = {
  displaylogo: false,
  plotlyServerURL: "",
  // Plotly would write the page's address into its clip paths, which break when the address changes.
  _baseUrl: "",
  modeBarButtonsToRemove: ["sendChartToCloud", "toImage", "select2d", "lasso2d", "autoScale2d"],
};

/**
 * @param {any} box Plotly adds to it
 * @param {LoadPlotly} plotly
 */
export function createPlotted(box, plotly) {
  /** @type {[string, (event: any) => void][]} */
  const handlers = [];
  let listening = false;
  let missed = false; // Plotly could not be loaded, and the box says so

  /** @type {(event: string, handler: (event: any) => void) => void} */
  const on = (event, handler) => void handlers.push([event, handler]);

  /** @type {(event: string, detail: any) => void} calls the handlers as Plotly would */
  function emit(event, detail) {
    for (const [name, handler] of handlers) if (name === event) handler(detail);
  }

  /** Plotly, or a sentence in place of the chart. */
  async function loadPlotly() {
    try {
      const Plotly = await plotly();
      if (missed) box.replaceChildren();
      missed = false;
      return Plotly;
    } catch (error) {
      missed = true;
      box.textContent = t("{reason}: the chart is missing.", { reason: /** @type {Error} */ (error).message });
      throw error;
    }
  }

  /** @type {Promise<unknown>} */
  let underWay = Promise.resolve();
  // One after the other: Plotly fails if a figure is removed while it is drawn.
  /** @type {(next: () => Promise<void>) => Promise<void>} */
  function inTurn(next) {
    const done = underWay.catch(() => {}).then(next);
    underWay = done;
    return done;
  }

  /** @param {Figure} figure in the colours of the page */
  const draw = (figure) => inTurn(() => drawNow(figure));
  const clear = () => inTurn(clearNow);

  /** @param {Figure} figure */
  async function drawNow({ data, layout }) {
    const Plotly = await loadPlotly();
    if (box._fullLayout && box._fullLayout.height !== layout.height) await clearNow(); // a legend would keep its position
    await Plotly.react(box, data, { ...layout, ...TRANSPARENT }, CHART_CONFIG);
    if (!listening) for (const [event, handler] of handlers) box.on(event, handler);
    listening = true;
  }

  /** @param {any[]} shapes in the colours of the page */
  const mark = async (shapes) => (await plotly()).relayout(box, { shapes });

  async function clearNow() {
    if (box.data) (await plotly()).purge(box);
    listening = false; // Plotly forgets its listeners with the figure
  }

  /** The plane, or null before anything is drawn. */
  const plane = () => (box._fullLayout ? plottedPlane(box) : null);

  return { on, emit, draw, mark, clear, plane };
}

/**
 * A chart for figures that contain only what we can paint.
 * @param {any} box
 * @param {LoadPlotly} plotly
 */
export function createPainted(box, plotly) {
  const plotted = createPlotted(box, plotly);
  const painting = createPainting();
  /** @type {Figure | null} */
  let figure = null; // the figure in the colours of the page
  let requested = false; // Plotly was
  let failed = false; // Plotly could not be loaded
  let takenOver = false; // whether Plotly draws now; only Plotly knows the reader's zoom then
  /** @type {PointerEvent | null} */
  let pointer = null; // the last position of a mouse or a pen, while Plotly is loading

  const plane = () => (takenOver ? plotted.plane() : figure && plannedPlane(figure.layout));

  /** @param {Figure} next */
  async function draw(next) {
    figure = next;
    await null; // all charts measure the page before the first one changes it
    if (takenOver) {
      painting.clear();
      await plotted.draw(withoutPainting(next));
    }
    if (figure === next) paint();
  }

  // Called when the figure is new, or the axes have moved.
  function paint() {
    const currentPlane = plane();
    if (!figure || !currentPlane || !box.isConnected) return;
    const { width, height } = figure.layout;
    Object.assign(box.style, { width: `${width}px`, height: `${height}px` });
    painting.paint(figure, currentPlane);
    // Between Plotly's plot, which receives pointer events, and its hints.
    const plot = box.querySelector(".gl-container");
    if (plot) plot.after(painting.paper);
    else if (!painting.paper.isConnected) box.append(painting.paper);
  }

  /** @param {any[]} shapes */
  async function mark(shapes) {
    if (!figure) return;
    figure.layout.shapes = shapes;
    painting.mark(shapes);
  }

  async function clear() {
    figure = null;
    painting.clear();
    Object.assign(box.style, { width: "", height: "" });
    requested = failed = takenOver = false;
    await plotted.clear();
  }

  async function takeOver() {
    if (requested || !figure) return;
    requested = true;
    try {
      await plotly();
      for (let drawn = null; figure && drawn !== figure; ) {
        drawn = figure;
        await plotted.draw(withoutPainting(drawn));
      }
      if (!figure) return await plotted.clear();
      takenOver = true;
      paint();
      pointAgain();
    } catch (error) {
      failed = true; // the painting stays, and Plotly is requested again when the pointer returns
      if (window.Plotly) console.error(error);
    }
  }

  // Repeats the last movement of a pointer that came to rest while Plotly was loading, so that its hint appears.
  function pointAgain() {
    if (!pointer) return;
    const { clientX, clientY } = pointer;
    const under = document.elementFromPoint(clientX, clientY);
    if (box.contains(under)) under?.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const currentPlane = plane();
    if (takenOver || !figure || !currentPlane) return;
    const { left, top } = box.getBoundingClientRect();
    const point = pointAt(figure.data, currentPlane, { x: event.clientX - left, y: event.clientY - top });
    if (point) plotted.emit("plotly_click", { points: [point] });
    takeOver();
  }

  /** @param {PointerEvent} event ignored for a finger, which may only be scrolling */
  function come(event) {
    if (takenOver || event.pointerType === "touch") return;
    pointer = event;
    takeOver();
  }

  function leave() {
    pointer = null;
    if (failed) requested = failed = false;
  }

  box.classList.add("tv-painted");
  box.addEventListener("pointermove", come);
  box.addEventListener("pointerleave", leave);
  box.addEventListener("click", click);
  for (const moved of ["plotly_relayouting", "plotly_relayout"]) plotted.on(moved, paint);

  return { on: plotted.on, draw, mark, clear, plane };
}
