// Reads programs and payloads of traces from the standard input, and prints the lines that the page derives.
import { readFileSync } from "node:fs";
import { execute } from "../../../../demo/trace/cards/line_by_line/evaluate.js";
import { createRecorded, settingsOf } from "../../../../demo/trace/cards/line_by_line/recorded.js";
import { readTrace } from "../../../../demo/trace/reading/trace.js";

globalThis.document ??= { documentElement: { lang: "en" } };
const answers = JSON.parse(readFileSync(0, "utf8")).map(({ program, payload }) => {
  const model = readTrace(payload);
  const { names } = createRecorded(model);
  const { events, result } = execute(program, settingsOf(program, payload.trace.settings, names), names);
  return { lines: events.map(({ line, scope }) => ({ line, scope })), result };
});
process.stdout.write(JSON.stringify(answers));
