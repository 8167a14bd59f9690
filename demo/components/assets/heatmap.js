// Cross-attention of the chosen path: Python drew the frame, the numbers follow the selection.
function createHeatmap(root, selection, plotly) {
  const chart = createChart(root, root.querySelector(".tv-heatmap"), plotly);
  const { state } = selection;
  let hovered = null;
  let wired = false;

  function figure() {
    const { model, path } = state;
    const frame = structuredClone(model.payload.figures.attention);
    frame.data[0].z = path.map((node) => model.weights(model.row(node), state.layer, state.head));
    frame.layout.yaxis.tickvals = path.map((_, at) => at);
    frame.layout.yaxis.ticktext = path.map((node) => model.figureLabel(node.token));
    frame.layout.shapes = marks();
    return frame;
  }

  function marks() {
    const width = state.model.source.length;
    const { text, source } = state.model.payload.palette;
    const box = (x0, x1, y0, y1, color) => ({ type: "rect", x0, x1, y0, y1, line: { color, width: 2 }, layer: "above" });
    const shapes = [box(-0.5, width - 0.5, state.step - 0.5, state.step + 0.5, text)];
    if (hovered !== null) shapes.push(box(hovered - 0.5, hovered + 0.5, -0.5, state.path.length - 0.5, source));
    return shapes;
  }

  async function draw() {
    if (!state.model.attention || !state.path.length) return chart.clear();
    await chart.draw(figure(), state.model.payload.dark);
    if (!wired) wire();
    wired = true;
  }

  function wire() {
    const chips = root.querySelector(".tv-source").children;
    const point = (points, on) => chips[points[0].x]?.classList.toggle("tv-pointed", on);
    chart.box.on("plotly_click", ({ points }) => selection.goTo(points[0].y));
    chart.box.on("plotly_hover", ({ points }) => point(points, true));
    chart.box.on("plotly_unhover", ({ points }) => point(points, false));
  }

  async function update(change) {
    if (!state.model.attention || change === "pruned") return;
    await (change === "step" ? chart.mark(marks()) : draw());
  }

  function hover(column) {
    hovered = column;
    if (state.model?.attention) chart.mark(marks());
  }

  return { chart, load: draw, update, hover };
}
