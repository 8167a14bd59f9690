// @ts-check
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
