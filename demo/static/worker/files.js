// @ts-check
// The files of the site, and the library's Python among them: demo/static/answers.py, run by Pyodide.

const HOME = "/unrolled";
/** @typedef {(answer: string, values: Record<string, unknown>, language: string) => string} Python */

/** A file that did not arrive. */
export class FetchError extends Error {
  name = "FetchError";
}

/**
 * Fetch a file, and report its bytes as they arrive. Throws a FetchError.
 * @type {(address: string, report?: (progress: { loaded: number, total: number }) => void) => Promise<ArrayBuffer>}
 */
export async function fetchFile(address, report = () => {}) {
  try {
    const response = await fetch(address);
    if (!response.ok || !response.body) throw new FetchError(`${address}: ${response.status}`);
    const total = Number(response.headers.get("content-length")) || 0; // a server that packs the file says its packed size
    const parts = [];
    let loaded = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      loaded += part.value.length;
      report({ loaded, total: Math.max(loaded, total) });
    }
    report({ loaded, total: loaded });
    return await new Blob(parts).arrayBuffer();
  } catch (error) {
    throw error instanceof FetchError ? error : new FetchError(`${address}: ${error}`);
  }
}

/** @param {string} address @returns {Promise<any>} */
export const fetchJson = async (address) => JSON.parse(new TextDecoder().decode(await fetchFile(address)));

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
