// Answers as the worker of the page without a server does, on one Python: for each line of requests a line of answers.
// node worker.mjs BASE PYODIDE

import { createInterface } from "node:readline";
import { Computing } from "../../../demo/static/worker/computing.js";
import { answersOf, fetchFile } from "../../../demo/static/worker/files.js";

const [base, folder] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const python = answersOf(await loadPyodide({ indexURL: folder }), await fetchFile(`${base}python.zip`));
/** @type {string | null} */
let trace = null; // the latest trace, as Python gets it

/** @type {() => Promise<import("../../../demo/static/worker/files.js").Python>} */
async function startPython() {
  trace = null;
  return (answer, values, spoken) => {
    trace = /** @type {string | null} */ (values.trace ?? trace);
    return python(answer, values, spoken);
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { calls, language } = JSON.parse(line);
  const computing = new Computing({ base, language, report: () => {}, startPython });
  const answers = [];
  for (const { call, values, cancel } of calls) {
    try {
      const answer = /** @type {any} */ (computing)[call](values);
      if (cancel) computing.cancel();
      const text = await answer;
      answers.push({ answer: JSON.parse(text ?? "null"), trace });
    } catch (error) {
      answers.push({ error: /** @type {Error} */ (error).message });
    }
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
