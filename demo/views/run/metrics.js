// @ts-check
// The points of all curves as one table. Knows no element.
// One line for each step that any curve has a point at.
export function metricsTable({ charts, overlays, snapshots }) {
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
  return [
    ["step", ...columns.map(([title]) => title)],
    ...steps.map((step) => [step, ...values.map((column) => column.get(step) ?? null)]),
  ];
}
