// @ts-check
// A box in which Plotly draws, and its events.
import { t } from "../view/translate.js";
import { plottedPlane } from "./plane.js";

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
