// @ts-check
// The card of a figure from Python: hidden if the trace has none, and marked by the follower if there is one.
import { createChart } from "../../../widgets/charts/charts.js";
import { find } from "../../../widgets/view/dom.js";

/** @import { Card, Figure, Follower, View } from "../../trace_card.js" */

/** @type {(view: View, card: HTMLElement, follower?: Follower) => Card} the element has a `[data-figure]`, its name */
export function createFigureCard({ root, selection, plotly }, card, follower = {}) {
  const box = find(card, "[data-figure]");
  const name = /** @type {string} */ (box.dataset.figure);
  const chart = createChart(root, box, plotly);
  const { state } = selection;
  const { prepare, marks, click, everyStep } = follower;
  let figure = /** @type {Figure | null} */ (null);
  if (click) chart.on("plotly_click", ({ points }) => click(points[0]));

  return {
    charts: { [name]: chart },
    load() {
      figure = structuredClone(state.model.payload.figures[name] ?? null); // the payload stays as it came, for a download
      card.hidden = !figure;
      if (figure) prepare?.(figure);
    },
    async draw() {
      if (!figure) return chart.clear();
      const layout = marks ? { ...figure.layout, shapes: marks(figure) } : figure.layout;
      return chart.draw({ data: figure.data, layout }, state.model.payload.dark);
    },
    async follow(change) {
      const moved = change === "path" || (everyStep && change === "step");
      if (figure && marks && moved) await chart.mark(marks(figure));
    },
  };
}
