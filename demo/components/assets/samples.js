// What only samples have: the cloud of their probabilities, and the matrix of their agreement.
function createSamples(root, selection, plotly) {
  const { state } = selection;
  const cloud = createChart(root, root.querySelector(".tv-cloud"), plotly);
  const utilities = createChart(root, root.querySelector(".tv-utilities"), plotly);
  cloud.on("plotly_click", ({ points }) => selection.chooseHypothesis(points[0].customdata));
  utilities.on("plotly_click", ({ points }) => selection.chooseHypothesis(points[0].y));

  const figures = () => state.model.payload.figures;
  const sameOutput = (one, other) => String(one.token_ids) === String(other.token_ids);

  function hoverText(index) {
    const { model } = state;
    const chosen = model.hypotheses[index];
    const count = model.hypotheses.filter((other) => sameOutput(other, chosen)).length;
    const times = count === 1 ? t("drawn once") : t("drawn {count} times", { count });
    return `${plotlyText(chosen.text) || t("(empty)")}<br>${t("log-prob {value} ({percent})", { value: numberText(chosen.log_prob), percent: plotlyText(percentText(chosen.log_prob)) })}, ${times}`;
  }

  // A ring around the chosen sample; in the matrix a box around its row.
  function cloudMarks() {
    const chosen = state.model.hypotheses[state.hypothesis];
    if (!chosen) return [];
    const [points] = figures().cloud.data;
    const at = points.customdata.findIndex((index) => sameOutput(state.model.hypotheses[index], chosen));
    const radius = points.marker.size[at] / 2 + 4;
    return [{ type: "circle", xsizemode: "pixel", ysizemode: "pixel", xanchor: points.x[at], yanchor: points.y[at], x0: -radius, x1: radius, y0: -radius, y1: radius, line: { color: state.model.payload.palette.text, width: 2 } }];
  }

  function utilityMarks() {
    const row = state.hypothesis;
    if (row < 0) return [];
    return [{ type: "rect", x0: -0.5, x1: state.model.hypotheses.length - 0.5, y0: row - 0.5, y1: row + 0.5, line: { color: state.model.payload.palette.text, width: 2 }, layer: "above" }];
  }

  async function draw(chart, figure, marks) {
    if (!figure) return chart.clear();
    await chart.draw({ data: figure.data, layout: { ...figure.layout, shapes: marks() } }, state.model.payload.dark);
  }

  async function load() {
    const { cloud: points, utilities: matrix } = figures();
    root.classList.toggle("tv-sampled", Boolean(points));
    root.classList.toggle("tv-judged", Boolean(matrix));
    if (points) points.data[0].hovertext = points.data[0].customdata.map(hoverText);
    await draw(cloud, points, cloudMarks);
    await draw(utilities, matrix, utilityMarks);
  }

  async function update(change) {
    if (change !== "path" || !state.model) return;
    if (figures().cloud) await cloud.mark(cloudMarks());
    if (figures().utilities) await utilities.mark(utilityMarks());
  }

  return { charts: { cloud, utilities }, load, update };
}
