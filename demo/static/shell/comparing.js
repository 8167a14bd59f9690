// @ts-check
// Decodes the rows of a comparison one after the other, and shows its state after each.
import { loadingDecoder, sentence } from "./loading.js";

/** @import { Ask, Loading } from "./loading.js" */
/** @import { Values } from "./visit.js" */

/**
 * @typedef {object} Row
 * @property {"waiting" | "running" | "done" | "failed" | "late"} state a late row was never started
 * @property {any} [outcome]
 * @property {string} [problem]
 */

/**
 * @param {Loading} loading
 * @param {(text: string) => void} say
 * @param {(data: any) => void} show
 */
export function createComparing(loading, say, show) {
  let current = ""; // the id of the comparison that runs
  let count = 0;
  let isWaiting = false; // the reader waits for the engine
  loading.follow((text) => {
    if (isWaiting) say(text);
  });

  let isReady = false; // the engine has answered

  /** Asks the engine; until its first answer, says that it is loading. @type {Ask} */
  async function asking(call, values) {
    if (!isReady) say(loadingDecoder());
    isWaiting = true;
    try {
      const answer = await loading.ask(call, values);
      isReady = true;
      return answer;
    } finally {
      isWaiting = false;
      say("");
    }
  }

  /** @type {(row: Values) => Promise<Row>} */
  const decodeRow = (row) =>
    loading.ask("comparisonRow", row).then(
      (/** @type {any} */ outcome) => ({ state: "done", outcome }),
      (/** @type {Error} */ error) => ({ state: "failed", problem: sentence(error) }),
    );

  /** @type {(request: Values, run: string) => Promise<void>} */
  async function compare(request, run) {
    await asking("load", { checkpoint: request.checkpoint });
    if (current !== run) return;
    const answer = await loading.ask("comparisonRows", { request, run });
    const { settings, order, row_seconds, total_seconds, reference, rescored } = answer;
    const ends = performance.now() + 1000 * total_seconds;
    /** @type {Row[]} */
    const rows = settings.map(() => ({ state: "waiting" }));
    const draw = async (/** @type {boolean} */ finished) => {
      const data = await loading.ask("comparisonData", {
        request: { ...request, reference },
        rows,
        run,
        finished,
        reference: rescored,
      });
      if (current === run) show(data);
    };
    for (const index of order) {
      const seconds = Math.min(row_seconds, (ends - performance.now()) / 1000);
      rows[index] = { state: seconds > 0 ? "running" : "late" };
      await draw(false);
      if (current !== run) return;
      const { checkpoint, text } = request;
      if (seconds > 0) rows[index] = await decodeRow({ checkpoint, text, settings: settings[index], seconds, run });
    }
    await draw(true);
  }

  return {
    /** @param {Values} request checkpoint, text, reference and strategies */
    async run(request) {
      count += 1;
      const run = String(count);
      current = run;
      try {
        await compare(request, run);
      } catch (error) {
        console.warn(error);
        if (current === run) say(sentence(/** @type {Error} */ (error)));
      }
    },
    stop() {
      current = "";
      loading.current()?.then((ask) => ask("endComparison"));
    },
    /** The data of `TraceView`. @param {Values} request */
    async decoded(request) {
      await asking("load", { checkpoint: request.checkpoint });
      return (await loading.ask("decode", { request })).trace;
    },
    /** @param {Values} settings */
    strategyName: (settings) => asking("answer", { question: "strategy_name", values: { settings } }),
  };
}
