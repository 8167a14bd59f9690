// @ts-check
// The curves: four charts over the same steps, which zoom together and keep their zoom when they are updated.

import { createChart } from "../../widgets/charts/charts.js";
import { svgNode } from "../../widgets/charts/svg.js";
import { csvText, offer, saveButton } from "../../widgets/exports/files.js";
import { find, make, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { latestOnly, whenNew } from "./parts.js";

const DASH_ARRAYS = { dash: "6 4", dot: "2 3", dashdot: "6 3 2 3", longdash: "10 4", longdashdot: "10 3 2 3" };

export function createRunCurves(root, run, plotly, goNear) {
  const card = find(root, ".rv-curves");
  const legend = find(card, ".rv-legend");
  const logAxis = find(card, ".rv-log-axis", HTMLInputElement);
  const whole = find(card, ".rv-whole", HTMLButtonElement);
  const fixedSymbols = [...legend.children];
  const zoom = { x: null, y: {} };
  const charts = {};
  let dragged = false; // during a drag nothing is drawn, since that would end it

  function figureOf(name) {
    const { data, layout } = run.payload.charts[name];
    const axis = (settings, range) => ({ ...settings, ...(range ? { range, autorange: false } : {}) });
    const scale = name === "loss" && logAxis.checked ? layout.meta.log : {};
    const ticks = zoom.y[name] ? { tickmode: "auto" } : {}; // the ticks for all values may be too few for some
    return {
      data,
      layout: {
        ...layout,
        xaxis: axis(layout.xaxis, zoom.x),
        yaxis: axis({ ...layout.yaxis, ...scale, ...ticks }, zoom.y[name]),
      },
    };
  }

  // Moves the line at the scrubber's evaluation: an element of its own, since Plotly takes ten times as long.
  function positionMark({ figure, chart: { box } }) {
    const line = find(figure, ".rv-mark");
    const snapshot = run.current();
    const axis = box._fullLayout?.xaxis;
    const offset = snapshot && axis ? axis.l2p(snapshot.step) : -1;
    line.hidden = !(offset >= 0 && offset <= axis._length);
    if (!line.hidden) line.style.transform = `translateX(${axis._offset + offset}px)`;
  }

  for (const figure of card.querySelectorAll("figure")) {
    const { chart: name } = figure.dataset;
    const chart = createChart(root, find(figure, ".rv-chart"), plotly);
    const draw = latestOnly(async () => {
      if (!run.payload) return;
      const next = figureOf(name);
      const key = JSON.stringify(next);
      if (key === charts[name].drawn) return;
      await chart.draw(next, run.payload.dark);
      charts[name].drawn = key;
    });
    charts[name] = { figure, chart, draw, drawn: "" };
    chart.on("plotly_relayout", (change) => onZoom(name, change));
    chart.on("plotly_doubleclick", () => setTimeout(showAll)); // after Plotly has set the range itself
    chart.on("plotly_click", ({ points: [point] }) => goNear(point.x));
    figure.addEventListener("pointerdown", () => {
      dragged = true;
    });
    chart.on("plotly_afterplot", () => positionMark(charts[name]));
  }

  window.addEventListener("pointerup", () => {
    if (!dragged) return;
    dragged = false;
    setTimeout(() => root.isConnected && redraw()); // after Plotly has ended the drag
  });

  function onZoom(name, change) {
    const range = (axis) => {
      if (change[`${axis}.autorange`]) return null;
      const ends = [change[`${axis}.range[0]`], change[`${axis}.range[1]`]];
      return change[`${axis}.range`] ?? (ends[0] === undefined ? undefined : ends);
    };
    const [x, y] = [range("xaxis"), range("yaxis")];
    if (x === undefined && y === undefined) return;
    if (x !== undefined) zoom.x = x;
    if (y !== undefined) zoom.y[name] = y;
    charts[name].drawn = "";
    redraw();
  }

  const reset = () => Object.assign(zoom, { x: null, y: {} });
  const redraw = () => drawAll().catch(console.error);

  function showAll() {
    reset();
    redraw();
  }

  async function drawAll() {
    whole.disabled = !zoom.x && !Object.values(zoom.y).some(Boolean);
    if (dragged || !run.payload) return;
    await Promise.all(Object.values(charts).map(({ draw }) => draw()));
    moveMarks();
  }

  function earlier(title, trace) {
    const line = svgNode("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" });
    const dashes = DASH_ARRAYS[trace.line.dash];
    line.append(svgNode("path", { d: "M0 4h26", class: "rv-earlier", "stroke-dasharray": dashes }));
    return Object.assign(make("li", "", line, title), { title });
  }

  const drawLegend = whenNew((titles) =>
    legend.replaceChildren(
      ...fixedSymbols,
      ...titles.map((title, index) => earlier(title, run.payload.charts.loss.data[index])),
    ),
  );

  async function load() {
    const { overlays, captions } = run.payload;
    drawLegend(overlays);
    for (const [name, { figure }] of Object.entries(charts))
      find(figure, ".tv-scroll").setAttribute("aria-label", captions[name]);
    const scored = run.payload.charts.score.data.some((trace) => trace.x.length);
    setText(find(card, ".rv-none"), scored ? "" : captions.score);
    await drawAll();
  }

  const moveMarks = () => Object.values(charts).forEach(positionMark);

  logAxis.addEventListener("change", () => {
    delete zoom.y.loss; // the range belongs to the other kind of axis
    redraw();
  });
  whole.addEventListener("click", showAll);

  return {
    load,
    moveMarks,
    reset,
    charts: Object.fromEntries(Object.entries(charts).map(([name, { chart }]) => [name, chart])),
  };
}

// Offers each chart as a picture, and the points of all curves as a table.
export function createRunFiles(root, run, charts) {
  const names = {
    loss: t("loss"),
    score: t("score"),
    rate: t("learning rate"),
    norm: t("gradient norm"),
    attention: t("attention"),
  };
  const aboutProbe = () => [run.payload.probe.source.join(" "), run.current().probe.caption];
  for (const [name, chart] of Object.entries(charts)) {
    const target = find(root, `[data-chart=${name}]`);
    (target.querySelector(".rv-downloads") ?? target).append(
      ...["PNG", "SVG"].map((format) =>
        saveButton("rv-file", format, t("Download the {name} chart as {format}", { name: names[name], format }), () =>
          chart.download(format.toLowerCase(), `unrolled-run-${name}`, {
            title: names[name],
            lines: [run.payload.title, ...(name === "attention" ? aboutProbe() : [])],
          }),
        ),
      ),
    );
  }
  find(root, ".rv-files").append(
    saveButton("rv-file", "CSV", t("Download the points of all curves as a table"), () =>
      offer(csvText(metricsTable(run.payload)), "text/csv;charset=utf-8", "unrolled-run.csv"),
    ),
  );
}

// The points of all curves as one table, with a line for each step at which any curve has a point.
export function metricsTable({ charts, overlays, snapshots }) {
  const curveOf = (chart, name) => charts[chart].data.slice(overlays.length).find((trace) => trace.name === name);
  const columns = [
    ["training_loss", curveOf("loss", "training")],
    ["validation_loss", curveOf("loss", "validation")],
    ["bleu", { x: snapshots.map(({ step }) => step), y: snapshots.map(({ bleu }) => bleu) }],
    ["exact_match_percent", { x: snapshots.map(({ step }) => step), y: snapshots.map(({ exact }) => exact) }],
    ["learning_rate", curveOf("rate", "learning rate")],
    ["gradient_norm", curveOf("norm", "before clipping")],
    ["clipped_norm", curveOf("norm", "after clipping") ?? curveOf("norm", "before clipping")],
  ];
  const values = columns.map(([, trace]) => new Map(trace.x.map((step, index) => [step, trace.y[index]])));
  const steps = [...new Set(values.flatMap((column) => [...column.keys()]))].sort((one, other) => one - other);
  return [
    ["step", ...columns.map(([title]) => title)],
    ...steps.map((step) => [step, ...values.map((column) => column.get(step) ?? null)]),
  ];
}
