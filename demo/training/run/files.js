// @ts-check
// Offers each chart as a picture, and the points of all curves as a table.

import { csvText } from "../../widgets/exports/csv.js";
import { offer, saveButton } from "../../widgets/exports/files.js";
import { find } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { metricsTable } from "./metrics.js";

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
