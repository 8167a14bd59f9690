// @ts-check
// The search tree: Python places the nodes; the chosen path and the current step are marked over them.
import { createPaintedChart } from "../../../widgets/charts/charts.js";
import { plotlyText } from "../../../widgets/charts/plotly.js";
import { find, isHidden } from "../../../widgets/view/dom.js";
import { numberText, percentText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { revealHeight } from "../../panes/visibility.js";
import { reasonText } from "../../reading/trace.js";
import { groupAt, pathGroups } from "../../reading/words.js";
import { around, columnBand, ring } from "../shapes.js";

/** @import { Change, CreateCard, Node } from "../../trace_card.js" */

const EVEN_WIDTH = 2; // pixels of a line that must not reveal the probability of its token

/** Breaks a text into lines, so that it fits beside the pointer in its pane. @param {string} text */
const inLines = (text) => text.replace(/(.{1,40})(?:\s+|$)/g, "$1<br>").replace(/<br>$/, "");

/** @type {CreateCard} */
export function create({ root, selection, plotly }, card) {
  const pruned = find(card, ".tv-show-pruned", HTMLInputElement);
  const lostKey = find(card, ".tv-lost");
  const greedyKeys = /** @type {NodeListOf<HTMLElement>} */ (card.querySelectorAll(".tv-greedy"));
  const chart = createPaintedChart(root, find(card, ".tv-tree"), plotly);
  const { state } = selection;
  /** @type {Map<number, [number, number]>} */
  let positions = new Map(); // [x, y] by the id of a node
  /** @type {Set<number>} */
  let labelled = new Set(); // ids of the nodes with a label
  /** @type {Map<number, number>} */
  let counts = new Map(); // number of samples by the node that represents their common prefix, if there are several
  let revision = 0;
  let fresh = false; // drawn, but not scrolled yet

  /** @param {number} id */
  function hoverText(id) {
    const { model } = state;
    const node = /** @type {Node} */ (model.nodes.get(id));
    const count = counts.get(node.id);
    const shared = count ? [t("{count} samples begin so", { count })] : [];
    const position = t("at step {step}, rank {rank} of all candidates", { step: node.step + 1, rank: node.rank + 1 });
    const head = `<b>${model.figureLabel(node.token)}</b> ${position}`;
    if (isHidden("probabilities")) return [head, ...shared, inLines(model.payload.reasons[node.reason])].join("<br>");
    const percent = plotlyText(percentText(node.log_prob));
    return [
      head,
      ...shared,
      t("log-prob {value} ({percent})", { value: numberText(node.log_prob), percent }),
      t("cumulative {cumulative}", { cumulative: numberText(node.cumulative) }),
      ...(model.normalised ? [t("normalised {score}", { score: numberText(node.score, 3) })] : []),
      ...(node.order === null ? [] : [t("ranked by {value}", { value: numberText(node.order) })]),
      inLines(reasonText(model, node)),
    ].join("<br>");
  }

  /** @param {number} id */
  const positionOf = (id) => /** @type {[number, number]} */ (positions.get(id));

  function prepare() {
    const { model } = state;
    positions = new Map();
    labelled = new Set();
    counts = new Map();
    for (const [, first] of model.payload.tree.same) counts.set(first, (counts.get(first) ?? 1) + 1);
    for (const { customdata = [], x, y, text } of model.payload.figures.tree.data)
      for (const [index, id] of customdata.entries()) {
        positions.set(id, [x[index], y[index]]);
        if (text[index]) labelled.add(id);
      }
    for (const [id, first] of model.payload.tree.same) {
      positions.set(id, positionOf(first));
      if (labelled.has(first)) labelled.add(id);
    }
  }

  function figure() {
    const { data, layout } = state.model.payload.figures.tree;
    const isEven = isHidden("probabilities"); // a thicker line is a likelier token
    const visible = data.map((trace) => ({
      ...trace,
      ...(trace.customdata && { hovertext: trace.customdata.map(hoverText) }),
      ...(trace.meta === "pruned" && !state.pruned && { visible: false }),
      ...(isEven && trace.mode === "lines" && { line: { ...trace.line, width: EVEN_WIDTH } }),
    }));
    return { data: visible, layout: { ...layout, uirevision: revision, shapes: marks() } };
  }

  /** @type {(ids: number[], line: { color: string, width: number }) => object} a line through nodes from the root */
  function pathThrough(ids, line) {
    const { root, bend } = state.model.payload.tree;
    const points = [root, ...ids.map(positionOf)];
    const path = points.flatMap(([x, y], index) =>
      index === 0 ? [`M${x},${y}`] : [`L${points[index - 1][0] + bend},${points[index - 1][1]}`, `L${x},${y}`],
    );
    return { type: "path", path: path.join(" "), line, layer: "below" };
  }

  /** Greedy's path, and a ring at the last node that it shares with the chosen one; nothing if they never part. */
  function greedyMarks() {
    const { palette, tree } = state.model.payload;
    const places = state.path.map(({ id }) => positionOf(id).join());
    const step = tree.greedy.findIndex((id, index) => positionOf(id).join() !== places[index]);
    for (const key of greedyKeys) key.hidden = step < 0;
    if (step < 0) return [];
    const parting = step ? positionOf(tree.greedy[step - 1]) : tree.root;
    return [
      pathThrough(tree.greedy, { color: palette.greedy, width: 12 }),
      ring(parting, 16, { color: palette.greedy, width: 2 }),
    ];
  }

  function marks() {
    const { palette, tree } = state.model.payload;
    const groups = pathGroups(state);
    const rings = groups[groupAt(groups, state.step)].map((step) =>
      ring(positionOf(state.path[step].id), 12, { color: palette.text, width: 2 }),
    );
    if (tree.lost !== null) rings.push(ring(positionOf(tree.lost), 9, { color: palette.edit, width: 3 }));
    const ids = state.path.map(({ id }) => id);
    return [
      columnBand(positionOf(selection.current().id)[0], palette.column),
      ...greedyMarks(),
      pathThrough(ids, { color: palette.text, width: 8 }),
      ...rings,
      ...currentLabel(),
    ];
  }

  // The current node has a label also in a crowded column. It is a shape, not an annotation:
  // Plotly moves shapes in milliseconds but lays the whole figure out again for an annotation.
  function currentLabel() {
    const { text: color, surface: fillcolor } = state.model.payload.palette;
    const { id, token } = selection.current();
    if (labelled.has(id)) return [];
    const text = state.model.figureLabel(token);
    const label = { text, font: { color, size: 12 } };
    const box = around(positionOf(id), [15, 27 + 7 * text.length], [-10, 10]);
    return [{ type: "rect", ...box, fillcolor, line: { color, width: 1 }, label }];
  }

  // Scrolls the current column into view within the box; the page itself stays where it is.
  /** @param {Change} [change] undefined for another trace */
  function reveal(change) {
    if (change === "attention" || change === "pruned") return;
    const plane = chart.plane(); // the plane has the reader's zoom
    if (!plane) return;
    if (fresh) chart.scroller.scrollLeft = 0;
    fresh = false;
    const x = plane.left + plane.x(state.step);
    const { scrollLeft, clientWidth } = chart.scroller;
    if (x < scrollLeft + 60 || x > scrollLeft + clientWidth - 120) chart.scroller.scrollLeft = x - clientWidth / 2;
    revealHeight(card, chart, positionOf(selection.current().id)[1]);
  }

  chart.on("plotly_click", ({ points: [{ customdata: id }] }) => id !== undefined && selection.chooseNode(id));

  chart.onFill(() => state.path.length && reveal());

  const show = () => chart.draw(figure(), state.model.payload.dark);

  // The hints contain probabilities, which may be hidden.
  document.addEventListener("unrolled:hide", () => {
    const isPrepared = state.path.length && state.path.every(({ id }) => positions.has(id)); // draw() comes later if not
    if (!isPrepared || !chart.box.isConnected) return;
    show().catch(console.error);
  });

  pruned.addEventListener("change", () => selection.showPruned(pruned.checked));

  return {
    charts: { tree: chart },
    async draw() {
      revision += 1;
      prepare();
      lostKey.hidden = state.model.payload.tree.lost === null;
      fresh = true;
      await show();
    },
    async follow(change) {
      if (change === "attention") return;
      if (change === "pruned") return show();
      await chart.mark(marks());
    },
    reveal,
    read: () => (state.pruned ? {} : { pruned: false }),
    restore({ values }) {
      const { lost } = state.model.payload.tree;
      if (values.lost && lost !== null) selection.chooseEnd(lost);
      if (values.pruned !== false) return;
      pruned.checked = false;
      selection.showPruned(false);
    },
  };
}
