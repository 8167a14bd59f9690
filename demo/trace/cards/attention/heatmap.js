// @ts-check
// Cross-attention of the chosen path: the frame comes from Python, the weights follow the selection.
import { createPaintedChart } from "../../../widgets/charts/charts.js";
import { find } from "../../../widgets/view/dom.js";
import { revealHeight } from "../../panes/visibility.js";
import { groupAt, pathGroups, sourceGroups, strongest, wordRow, wordText } from "../../reading/words.js";
import { frame } from "../shapes.js";

/** @import { Change, Figure, View } from "../../trace_card.js" */

const MIN_ROWS = 4; // below these the axis would have no room for its title

/** @type {(layout: any, rows: number) => void} as tall as its rows; the frame has room for the longest path */
function fitHeight(layout, rows) {
  const { height, margin, yaxis } = layout;
  const most = yaxis.range[0] + 0.5;
  const drawn = Math.min(Math.max(rows, MIN_ROWS), most);
  layout.height = height - ((most - drawn) * (height - margin.t - margin.b)) / most;
  yaxis.range = [drawn - 0.5, -0.5];
}

/** @param {View} view @param {HTMLElement} card */
export function createHeatmap({ root, selection, plotly }, card) {
  const chart = createPaintedChart(root, find(card, ".tv-heatmap"), plotly);
  const { state } = selection;
  /** @type {number | null} */
  let hovered = null; // column under the pointer

  /** @returns {Figure} */
  function figure() {
    const { model, path } = state;
    const empty = structuredClone(model.payload.figures.attention);
    const [rows, columns] = [pathGroups(state), sourceGroups(state)];
    const outputs = rows.map((group) => group.map((step) => path[step].token));
    const sources = columns.map((group) => group.map((index) => model.source[index].surface));
    /** @param {string[][]} words their pieces */
    const ticks = (words) => ({
      tickvals: [...words.keys()],
      ticktext: words.map((pieces) => wordText(pieces.map(model.figureLabel))),
    });
    const weights = rows.map((group) => wordRow(state, group));
    const [data] = empty.data;
    data.z = weights.map((row) => strongest(row, state.mass));
    data.customdata = weights; // hints show the weight also of blank cells
    data.hovertemplate = data.hovertemplate.replace("%{z", "%{customdata");
    const { xaxis, yaxis } = empty.layout;
    Object.assign(yaxis, ticks(outputs));
    Object.assign(xaxis, ticks(sources), { range: [-0.5, columns.length - 0.5] });
    fitHeight(empty.layout, rows.length);
    empty.layout.shapes = marks();
    return empty;
  }

  function marks() {
    const [rows, width] = [pathGroups(state), sourceGroups(state).length];
    const row = groupAt(rows, state.step);
    const { text, source } = state.model.payload.palette;
    const shapes = [frame([-0.5, width - 0.5], [row - 0.5, row + 0.5], { color: text, width: 2 })];
    if (hovered === null) return shapes;
    const column = frame([hovered - 0.5, hovered + 0.5], [-0.5, rows.length - 0.5], { color: source, width: 2 });
    return [...shapes, column];
  }

  const draw = async () => (state.model.attention ? chart.draw(figure(), state.model.payload.dark) : chart.clear());

  /** @param {Change} [change] undefined for another trace */
  function reveal(change) {
    if (state.model.attention && change !== "pruned") revealHeight(card, chart, groupAt(pathGroups(state), state.step));
  }

  chart.onFill(() => state.path.length && reveal());

  const chips = find(card, ".tv-source").children;
  const point = (points, on) => chips[points[0].x]?.classList.toggle("tv-pointed", on);
  chart.on("plotly_click", ({ points }) => selection.goTo(pathGroups(state)[points[0].y][0]));
  chart.on("plotly_hover", ({ points }) => point(points, true));
  chart.on("plotly_unhover", ({ points }) => point(points, false));

  /** @param {Change} change */
  async function follow(change) {
    if (!state.model.attention || change === "pruned") return;
    await (change === "step" ? chart.mark(marks()) : draw());
  }

  /** @param {number | null} column */
  function hover(column) {
    hovered = column;
    if (state.model?.attention) chart.mark(marks());
  }

  return { chart, draw, follow, reveal, hover };
}
