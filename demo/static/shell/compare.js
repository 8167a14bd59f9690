// @ts-check
// The form of the Compare tab: strategies side by side on one text, and the row that the reader opens in full.
import { compareCarried } from "../../page/scripts/carry.js";
import { find, make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { createForm } from "./form.js";
import { loadingDecoder, sentence } from "./loading.js";
import { buttonsOf, nameButtons, widgetOf } from "./widgets.js";

/** @import { Ask, Loading } from "./loading.js" */
/** @import { Texts } from "./start.js" */
/** @import { LinkValues, Values } from "./visit.js" */
/**
 * @typedef {object} Row
 * @property {"waiting" | "running" | "done" | "failed" | "late"} state a late row was never started
 * @property {any} [outcome]
 * @property {string} [problem]
 */

const EXAMPLES = "#compare-examples .example";
const MODE = "strategies"; // the only mode of the page without a server

/** @param {Texts} texts @param {Loading} loading */
export function createCompare({ checkpoints, compared: controls }, loading) {
  const form = createForm("compare", controls);
  const { control, gather, fill } = form;
  const view = () => /** @type {any} */ (document.querySelector("#comparison .compare"));
  const status = make("p", "compare-status");
  const say = (/** @type {string} */ text) => {
    status.textContent = text;
  };
  const comparing = createComparing(loading, say, (data) => widgetOf("comparison")?.set(data));
  let before = control("checkpoint").get(); // the checkpoint that the form was filled in for

  /** Fills in a text with the reference that belongs to it. @param {Values} values */
  function fillPair(values) {
    fill(values);
    view().unrolled.filledIn(values.text, values.reference);
  }

  /** Shows a checkpoint with its examples, and other values. @param {string} name @param {Values} values */
  function show(name, values) {
    const { compared, picture } = checkpoints[name];
    const text = values.text ?? compared[0]?.text ?? "";
    const example = compared.find((/** @type {Values} */ one) => one.text === text);
    before = name;
    fillPair({ reference: example?.reference ?? "", ...values, checkpoint: name, text });
    widgetOf("compare-picture")?.set(picture && { ...picture, picture: text });
    nameButtons(EXAMPLES, picture ? [] : compared.map((/** @type {Values} */ one) => one.text));
  }

  function choose() {
    const { checkpoint: name, text, reference } = form.values();
    if (name === before) return;
    const [old, fresh] = [checkpoints[before], checkpoints[name]];
    const isExample = old.compared.some((/** @type {Values} */ example) => example.text === text);
    const isOwn = !isExample && Boolean(old.picture) === Boolean(fresh.picture);
    const isKept = text.trim() && (old.alike.includes(name) || isOwn);
    show(name, isKept ? { text, reference: old.writesAlike.includes(name) ? reference : "" } : {});
  }

  function run() {
    const { checkpoint, text, reference, strategies } = form.values();
    comparing.run({ checkpoint, text, reference, strategies }).catch(console.error);
  }

  function byReader() {
    const [, reference] = view().unrolled.pairToCompare(form.values().text, form.values().reference);
    fill({ reference });
    run();
  }

  function widen() {
    const [, checkpoint, , text, reference, strategies] = view().unrolled.wideArguments();
    show(checkpoint, { text, reference, strategies });
    run();
  }

  /** @param {{ checkpoint: string, text: string }} result the sentence that was decoded last */
  function carry({ checkpoint, text }) {
    show(checkpoint, { text, reference: "" });
    compareCarried().catch(console.error);
  }

  async function open() {
    const { checkpoint, text, settings, better } = JSON.parse(view().dataset.opened);
    try {
      const data = await comparing.decoded({ ...settings, checkpoint, text, better });
      widgetOf("compare-trace")?.set(`\n${JSON.stringify(data)}`);
      view().unrolled.revealOpened();
    } catch (error) {
      say(sentence(/** @type {Error} */ (error)));
    }
  }

  function takePicture() {
    fill({ text: widgetOf("compare-picture")?.get()?.picture ?? "" });
  }

  /** The name of a strategy, or the problem with it, as the server answers. @param {Values} settings */
  const describe = (settings) =>
    comparing.strategyName(settings).catch((/** @type {Error} */ error) => ({ problem: sentence(error) }));

  /** @param {LinkValues} linked */
  async function visit({ form: values, view: shown, faults }) {
    const isAsked = Object.keys(values).length > 0;
    const { mode = MODE, checkpoint = before, strategies, text, reference = "" } = values;
    if (mode !== MODE) faults.push(t("This page compares strategies only."));
    const described = await Promise.all((strategies ?? []).map(describe));
    for (const { problem } of described) if (problem) faults.push(problem);
    const valid = (strategies ?? []).filter(
      (/** @type {Values} */ _, /** @type {number} */ at) => !described[at].problem,
    );
    const linkedValues = { ...(text !== undefined && { text }), ...(valid.length && { strategies: valid }) };
    show(checkpoint, isAsked ? { ...linkedValues, reference } : {});
    return { run: isAsked, view: shown, mode: MODE };
  }

  function begin() {
    status.setAttribute("role", "status");
    find(document, "#comparison").before(status);
    form.begin();
    control("checkpoint").element.addEventListener("change", choose);
    for (const [index, example] of buttonsOf(EXAMPLES).entries())
      example.addEventListener("click", () => fillPair(checkpoints[form.values().checkpoint].compared[index]));
    document.getElementById("compare-run-strategies")?.addEventListener("click", byReader);
    document.getElementById("compare-stop")?.addEventListener("click", () => {
      view().unrolled.stop();
      comparing.stop();
    });
    show(before, { text: form.values().text });
  }

  return {
    begin,
    visit,
    parts: /** @type {Record<string, { server?: any, listeners?: any }>} */ ({
      comparison: {
        listeners: { shown: run, open, widen, carry, keep: () => fill({ reference: view().unrolled.aside() }) },
      },
      "compare-strategies": { server: { describe }, listeners: { change: gather } },
      "compare-strategy": { server: { describe } },
      "compare-picture": { listeners: { input: takePicture, chosen: takePicture } },
      "share-compare": { listeners: { gather } },
    }),
  };
}

/**
 * Decodes the rows of a comparison one after the other, and shows its state after each.
 * @param {Loading} loading
 * @param {(text: string) => void} say
 * @param {(data: any) => void} show
 */
function createComparing(loading, say, show) {
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
    const checked = { ...request, reference };
    const ends = performance.now() + 1000 * total_seconds;
    /** @type {Row[]} */
    const rows = settings.map(() => ({ state: "waiting" }));
    const draw = async (/** @type {boolean} */ finished) => {
      const data = await loading.ask("comparisonData", { request: checked, rows, run, finished, reference: rescored });
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
