// Reads programs and payloads of traces from the standard input, and prints the lines that the page derives: for each its
// variables, its sentence, the node that it is about, and where each of the `stops` holds.
import { readFileSync } from "node:fs";
import { execute } from "../../../../demo/trace/cards/line_by_line/evaluate.js";
import { createRecorded, settingsOf } from "../../../../demo/trace/cards/line_by_line/recorded.js";
import { createRun } from "../../../../demo/trace/cards/line_by_line/run.js";
import { readTrace } from "../../../../demo/trace/reading/trace.js";

globalThis.document ??= { documentElement: { lang: "en" } };
const answers = JSON.parse(readFileSync(0, "utf8")).map(({ payload, wishes = {} }) => {
  const model = readTrace(payload);
  const { program } = payload.listing;
  const { names } = createRecorded(model);
  const { result } = execute(program, settingsOf(program, payload.trace.settings, names), names);
  const run = createRun(model, payload.listing);
  const lines = run.events.map(({ line, scope, holds = null }, index) => {
    const { node, step } = run.focus(index);
    const where = node && { status: node.status, reason: node.reason, id: node.id };
    return { line, scope, holds, sentence: run.sentence(index), node: where, step };
  });
  const stops = {};
  for (const [name, { offered }] of Object.entries(run.stops)) {
    if (!offered) continue;
    stops[name] = [];
    for (let at = run.until(-1, name, wishes[name] ?? ""); at >= 0; at = run.until(at, name, wishes[name] ?? "")) stops[name].push(at);
  }
  return { lines, result, stops, located: lines.map(({ node }) => node && run.locate(model.nodes.get(node.id))) };
});
process.stdout.write(JSON.stringify(answers));
