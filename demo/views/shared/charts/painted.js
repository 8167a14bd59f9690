// @ts-check
// A box in which we paint, at once. Plotly comes when a pointer does, for what it is good at: hints and zoom.
import { createPainting, unpainted } from "./painting.js";
import { plannedPlane, pointAt } from "./plane.js";
import { createPlotted } from "./plotted.js";

/** @import { Figure } from "./charts.js" */
/** @import { LoadPlotly } from "./plotly.js" */

/**
 * For figures that hold no more than we paint.
 * @param {any} box
 * @param {LoadPlotly} plotly
 */
export function createPainted(box, plotly) {
  const plotted = createPlotted(box, plotly);
  const painting = createPainting();
  /** @type {Figure | null} */
  let figure = null; // in the colours of the page
  let asked = false; // for Plotly
  let failed = false; // to get it
  let taken = false; // by Plotly, which knows from then on how the reader has zoomed
  /** @type {PointerEvent | null} */
  let pointer = null; // where a mouse or a pen was last, while Plotly is on its way

  const plane = () => (taken ? plotted.plane() : figure && plannedPlane(figure.layout));

  /** @param {Figure} next */
  async function draw(next) {
    figure = next;
    await null; // all charts read the page before the first one changes it
    if (taken) {
      painting.clear();
      await plotted.draw(unpainted(next));
    }
    if (figure === next) paint();
  }

  // After the figure has come, or the axes have moved.
  function paint() {
    const where = plane();
    if (!figure || !where || !box.isConnected) return;
    const { width, height } = figure.layout;
    Object.assign(box.style, { width: `${width}px`, height: `${height}px` });
    painting.paint(figure, where);
    // Between Plotly's plot, which takes the pointer, and its hints.
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
    asked = failed = taken = false;
    await plotted.clear();
  }

  async function takeOver() {
    if (asked || !figure) return;
    asked = true;
    try {
      await plotly();
      for (let drawn = null; figure && drawn !== figure; ) {
        drawn = figure;
        await plotted.draw(unpainted(drawn));
      }
      if (!figure) return await plotted.clear();
      taken = true;
      paint();
      point();
    } catch (error) {
      failed = true; // what is painted stays; who comes back asks again
      if (window.Plotly) console.error(error);
    }
  }

  // A pointer that came to rest meanwhile is told what lies under it.
  function point() {
    if (!pointer) return;
    const { clientX, clientY } = pointer;
    const under = document.elementFromPoint(clientX, clientY);
    if (box.contains(under)) under?.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
  }

  /** @param {MouseEvent} event */
  function click(event) {
    const where = plane();
    if (taken || !figure || !where) return;
    const { left, top } = box.getBoundingClientRect();
    const found = pointAt(figure.data, where, { x: event.clientX - left, y: event.clientY - top });
    if (found) plotted.tell("plotly_click", { points: [found] });
    takeOver();
  }

  /** @param {PointerEvent} event a finger that scrolls past asks for nothing */
  function come(event) {
    if (taken || event.pointerType === "touch") return;
    pointer = event;
    takeOver();
  }

  function leave() {
    pointer = null;
    if (failed) asked = failed = false;
  }

  box.classList.add("tv-painted");
  box.addEventListener("pointermove", come);
  box.addEventListener("pointerleave", leave);
  box.addEventListener("click", click);
  for (const moved of ["plotly_relayouting", "plotly_relayout"]) plotted.on(moved, paint);

  return { on: plotted.on, draw, mark, clear, plane };
}
