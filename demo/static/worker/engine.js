// @ts-check
// The decoder as the page uses it. It computes in a worker, so that the page stays responsive.

/** @typedef {{ loaded: number, total: number }} Progress  bytes of a checkpoint's weights */
/** @typedef {Record<string, any>} Request  the fields of the API's `decode`, or of an edit with its settings */

/**
 * Start the worker. `base` is the address of the site's folder, and ends with a slash. Throws an error with the name
 * FetchError if its script does not arrive.
 * @param {{ base: string, language?: string, onProgress?: (progress: Progress) => void }} page
 */
export async function startEngine({ base, language = "en", onProgress = () => {} }) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let count = 0;

  /** @type {(call: string, values: unknown) => Promise<any>} */
  const ask = (call, values) =>
    new Promise((resolve, reject) => {
      waiting.set(++count, { resolve, reject });
      worker.postMessage({ id: count, call, values });
    });

  worker.onmessage = ({ data }) => {
    if (data.progress) return onProgress(data.progress);
    const { resolve, reject } = /** @type {any} */ (waiting.get(data.id));
    waiting.delete(data.id);
    if (data.error) reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
    else resolve(data.value);
  };
  // A script that did not arrive has no message.
  worker.onerror = ({ message }) => {
    const error = Object.assign(new Error(message), { name: message ? "Error" : "FetchError" });
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  await ask("begin", { base, language });
  /** @type {(call: string, values: unknown) => Promise<any>} */
  const json = (call, values) => ask(call, values).then(JSON.parse);

  return {
    /** Fetch a checkpoint and read it. Returns whether this browser computes fast. @param {string} checkpoint */
    load: (checkpoint) => ask("load", { checkpoint }),
    /**
     * Decode, and return the data for `TraceView`. A newer request ends an older one with what it has.
     * @param {Request} request
     */
    decode: async (request) => (await json("decode", { request })).trace,
    /** The content of a lab. @param {string} name @param {Record<string, string | number>} options */
    lab: (name, options) => json("answer", { question: "lab", values: { name, options } }),
    /** The data of a reader's trace file, or its problem. @param {string} content  gzip in base64 */
    traceFile: (content) => json("answer", { question: "trace_file", values: { content } }),
    /** The data of `SourceTokens` while a text is typed. @param {string} checkpoint @param {string} text */
    tokens: (checkpoint, text) => json("tokens", { checkpoint, text }),
    /**
     * The settings of each row of a comparison, the order of the decodings, and their time in seconds.
     * @param {Request} request
     * @param {string} run  names the comparison, which ends an earlier one
     */
    comparisonRows: (request, run) => json("comparisonRows", { request, run }),
    /** The outcome of a row. @param {{ checkpoint: string, text: string, settings: any, seconds: number, run: string }} row */
    comparisonRow: (row) => json("comparisonRow", row),
    /** The data for `CompareView`. @param {{ request: Request, rows: object[], run: string, finished: boolean,
     *   reference: object | null }} state */
    comparisonData: (state) => json("comparisonData", state),
    /** End the comparison. */
    endComparison: () => ask("endComparison", {}),
    /** The name and the details of a strategy. @param {any} settings */
    strategyName: (settings) => json("answer", { question: "strategy_name", values: { settings } }),
    /** End the decodings with what they have. */
    cancel: () => ask("cancel", {}),
    /** End the worker for good. */
    close: () => worker.terminate(),
  };
}
