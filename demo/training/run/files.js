// @ts-check
// Offers each chart as a picture, and the points of all curves as a table.

import { csvText, offer, saveButton } from "../../widgets/exports/files.js";
import { find } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

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
