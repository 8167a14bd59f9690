// @ts-check
// The library's Python in the browser: demo/static/answers.py, run by Pyodide.

import { fetchFile } from "./files.js";

const HOME = "/unrolled";
/** @typedef {(answer: string, values: Record<string, unknown>, language: string) => string} Python */

/**
 * Load Python from the site's folder, and return a function that calls one of `answers` with JSON.
 * @type {(base: string) => Promise<Python>}
 */
export async function startPython(base) {
  const folder = new URL("pyodide/", base).href;
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const [pyodide, files] = await Promise.all([loadPyodide({ indexURL: folder }), fetchFile(`${base}python.zip`)]);
  return answersOf(pyodide, files);
}

/**
 * @param {any} pyodide
 * @param {ArrayBuffer} files  the archive of the modules
 * @returns {Python}
 */
export function answersOf(pyodide, files) {
  pyodide.unpackArchive(files, "zip", { extractDir: HOME });
  pyodide.pyimport("sys").path.insert(0, HOME);
  const answers = pyodide.pyimport("demo.static.answers");
  return (answer, values, language) => answers[answer](JSON.stringify(values), language);
}
