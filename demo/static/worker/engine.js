// @ts-check
// The decoder as the page uses it. It computes in a worker, so that the page stays responsive.

/** @typedef {(call: keyof import("./computing.js").Computing, values?: object) => Promise<any>} Ask  calls a method */

/**
 * Start the worker, and return a function that asks it. `base` is the address of the site's folder, and ends with a
 * slash; `onProgress` gets the bytes of a checkpoint's weights. Throws an error with the name FetchError if the script
 * of the worker does not arrive.
 * @param {{ base: string, language: string, onProgress: (progress: { loaded: number, total: number }) => void }} page
 * @returns {Promise<Ask>}
 */
export async function startEngine({ base, language, onProgress }) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let count = 0;

  /** @type {(call: string, values?: object) => Promise<any>} */
  const ask = (call, values = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++count, { resolve, reject });
      worker.postMessage({ id: count, call, values });
    });

  worker.onmessage = ({ data }) => {
    if (data.progress) return onProgress(data.progress);
    const { resolve, reject } = /** @type {any} */ (waiting.get(data.id));
    waiting.delete(data.id);
    if (data.error) reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
    else resolve(typeof data.value === "string" ? JSON.parse(data.value) : data.value);
  };
  // A script that did not arrive has no message.
  worker.onerror = ({ message }) => {
    const error = Object.assign(new Error(message), { name: message ? "Error" : "FetchError" });
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  await ask("begin", { base, language });
  return ask;
}
