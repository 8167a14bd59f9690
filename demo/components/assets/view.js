// Wiring: one selection, the views that follow it, and the two ways in: a new value and the reader's hand.
const root = element.querySelector(".trace-view");
const plotly = loadPlotly(props.plotly_source);
plotly.catch((error) => root.querySelectorAll(".tv-heatmap, .tv-tree").forEach((box) => { box.textContent = `${error.message}: the charts are missing.`; }));

const selection = createSelection(changed);
const heatmap = createHeatmap(root, selection, plotly);
const tree = createTree(root, selection, plotly);
const edits = createEdits(root, selection, { trigger, editable: Boolean(props.editable && server) });
const picture = createPictureAttention(root, selection);
const attentionEdit = createAttentionEdit(root, selection, edits, createPictureCells(root, selection));
const versions = createVersions(root, show);
const samples = createSamples(root, selection, plotly);
const output = createOutput(root, selection);
const ranking = createRanking(root, selection, plotly, output.rank);
const lists = [output, ranking.list, createStepper(root, selection), createNextTokens(root, selection, edits),
  createSource(root, selection, heatmap.hover), picture, createCandidates(root, selection),
  createWords(root, selection), createThreshold(root, selection), edits, attentionEdit];
const link = createLinkState(root, selection, { versions, ranking, edits, tell: (faults) => window.unrolled?.notice(faults) });
root.unrolled = link; // for the script of the page
createDownloads(root, selection, { attention: pictureOr(heatmap.chart, selection), tree: tree.chart, ranking: ranking.chart, ...samples.charts }, { server, plotlySource: props.plotly_source });
root.querySelector(".tv-show-pruned").addEventListener("change", (event) => selection.showPruned(event.target.checked));
root.setAttribute("aria-label", props.label || t("Decoding"));

let charted = Promise.resolve(); // charts are drawn one change after the other
let announcement = null;

function drawCharts(task) {
  charted = charted.then(() => plotly).then(task).catch((error) => { if (window.Plotly) console.error(error); });
  return charted;
}

function changed(change) {
  lists.forEach((view) => view.update(change));
  mark();
  drawCharts(() => Promise.all([heatmap.update(change), tree.update(change), samples.update(change), ranking.update(change)]));
  clearTimeout(announcement);
  announcement = setTimeout(announce, 300);
}

function announce() {
  const node = selection.current();
  if (node) trigger("select", { step: selection.state.step, node: node.id, hypothesis: selection.state.hypothesis });
}

function mark() {
  const { state } = selection;
  const node = selection.current();
  root.dataset.step = String(state.step);
  root.dataset.node = node ? String(node.id) : "";
  root.dataset.hypothesis = String(state.hypothesis);
  const sentences = state.model.payload.captions;
  root.querySelectorAll("[data-caption]").forEach((caption) => {
    const sentence = sentences[caption.dataset.caption];
    caption.textContent = (Array.isArray(sentence) ? sentence[state.hypothesis] : sentence) ?? "";
  });
}

function load() {
  const text = props.value?.slice(props.value.indexOf("\n") + 1); // the first line only tells answers apart
  const model = text ? readTrace(text) : null;
  if (model) versions.arrive(text, model);
  else versions.clear();
  show(text, model);
  if (model && selection.state.path.length) link.arrived();
}

function show(text, model) {
  selection.state.text = text;
  selection.load(model, model ? editedStep(model.payload.trace) : 0);
  root.classList.toggle("tv-filled", Boolean(model && selection.state.path.length));
  root.dataset.stale = "false";
  if (!model || !selection.state.path.length) return;
  lists.forEach((view) => view.load(model));
  mark();
  drawCharts(async () => {
    await Promise.all([heatmap.load(), tree.load(), samples.load(), ranking.load()]);
    if (selection.state.model === model) root.dataset.ready = String(Number(root.dataset.ready) + 1);
  });
}

document.addEventListener("unrolled:hide", () => { if (selection.state.path.length) output.update("words"); });

watch("value", load);
load();
