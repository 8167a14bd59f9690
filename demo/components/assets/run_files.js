// Files made in the browser: each chart as a picture, the points of all curves as a table.
function createRunFiles(root, run, charts) {
  function offer(content, type, filename) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function button(text, hint, save) {
    const node = makeButton("rv-file", async () => {
      node.disabled = true;
      try {
        await save();
        node.textContent = text;
      } catch (error) {
        console.error(error);
        node.textContent = t("failed, try again");
      }
      node.disabled = false;
    });
    node.textContent = text;
    node.title = hint;
    node.setAttribute("aria-label", hint);
    return node;
  }

  const names = { loss: t("loss"), score: t("score"), rate: t("learning rate"), norm: t("gradient norm"), attention: t("attention") };
  for (const [name, chart] of Object.entries(charts)) {
    const place = root.querySelector(`[data-chart=${name}]`);
    (place.querySelector(".rv-downloads") ?? place).append(...["PNG", "SVG"].map((format) => button(format, t("Download the {name} chart as {format}", { name: names[name], format }), () => chart.download(format.toLowerCase(), `unrolled-run-${name}`))));
  }
  root.querySelector(".rv-files").append(button("CSV", t("Download the points of all curves as a table"), () => offer(csvText(metricsTable(run.payload)), "text/csv;charset=utf-8", "unrolled-run.csv")));
}

// One line for each step that any curve has a point at.
function metricsTable({ charts, overlays, snapshots }) {
  const own = (chart, name) => charts[chart].data.slice(overlays.length).find((trace) => trace.name === name);
  const columns = [
    ["training_loss", own("loss", "training")],
    ["validation_loss", own("loss", "validation")],
    ["bleu", { x: snapshots.map(({ step }) => step), y: snapshots.map(({ bleu }) => bleu) }],
    ["exact_match_percent", { x: snapshots.map(({ step }) => step), y: snapshots.map(({ exact }) => exact) }],
    ["learning_rate", own("rate", "learning rate")],
    ["gradient_norm", own("norm", "before clipping")],
    ["clipped_norm", own("norm", "after clipping") ?? own("norm", "before clipping")],
  ];
  const values = columns.map(([, trace]) => new Map(trace.x.map((step, at) => [step, trace.y[at]])));
  const steps = [...new Set(values.flatMap((column) => [...column.keys()]))].sort((one, other) => one - other);
  return [["step", ...columns.map(([title]) => title)], ...steps.map((step) => [step, ...values.map((column) => column.get(step) ?? null)])];
}
