// Answers requests as the worker of the page without a server does, and prints the answers.
// node worker.mjs BASE PYODIDE REQUESTS LANGUAGE

import { readFileSync } from "node:fs";
import { Computing } from "../../../demo/static/worker/computing.js";
import { fetchFile } from "../../../demo/static/worker/files.js";
import { answersOf } from "../../../demo/static/worker/python.js";

/** @type {string | null} */
let trace = null; // the latest trace, as Python gets it
const [base, folder, requests, language] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);

async function startPython() {
  const python = answersOf(await loadPyodide({ indexURL: folder }), await fetchFile(`${base}python.zip`));
  return (/** @type {string} */ answer, /** @type {any} */ values, /** @type {string} */ spoken) => {
    trace = values.trace ?? trace;
    return python(answer, values, spoken);
  };
}

const computing = new Computing({ base, language, report: () => {}, startPython });
const answers = [];
const begun = performance.now();
for (const { call, values, cancel } of JSON.parse(readFileSync(requests, "utf8"))) {
  const start = performance.now();
  try {
    const answer = /** @type {any} */ (computing)[call](values);
    if (cancel) computing.cancel();
    const text = await answer;
    answers.push({ answer: JSON.parse(text ?? "null"), trace, milliseconds: performance.now() - start });
  } catch (error) {
    answers.push({ error: /** @type {Error} */ (error).message, milliseconds: performance.now() - start });
  }
}
process.stdout.write(JSON.stringify(answers));
