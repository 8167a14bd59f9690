// @ts-check
// The form of the Decode tab, its checkpoints, and the decodings that it asks for. The engine computes them in a worker;
// the first example of a checkpoint is stored, so that a result is there before any weights are.

import { functionsOf } from "../../page/scripts/late_elements.js";
import { make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { createForm, createSettings } from "./form.js";
import { loadingDecoder, sentence } from "./loading.js";
import { buttonsOf, nameButtons, widgetOf } from "./widgets.js";

/** @import { Form, Values } from "./form.js" */
/** @import { Page } from "./loading.js" */
/** @import { Texts } from "./start.js" */

const ARROWS = "#checkpoint-neighbours button";
const EXAMPLES = "#examples .example";
const PATIENCE_MILLISECONDS = 300; // a decoding that takes longer shows its progress

const slow = () => t("Decoding. This browser lacks WebAssembly SIMD, so it takes longer.");

/** @param {Texts} texts @param {Page} page */
export function createDecode(texts, { read, code, loading }) {
  const form = createForm("decode", texts.controls, createSettings(texts));
  const { names, control, gather, fill } = form;
  const initial = form.values();
  const say = (/** @type {string} */ text) =>
    /** @type {any} */ (document.querySelector("#progress [role=status]")).say(text);
  /** @type {Promise<any> | null} */
  let pending = null; // the latest decoding
  let isWaiting = false; // the reader waits for a decoding
  let isReady = false; // the engine has loaded a network
  let isSlow = false; // the browser lacks what makes the engine fast

  function run() {
    globalThis.unrolled.run(true);
    globalThis.unrolled.decode(Object.values(form.values()));
  }

  /** @param {unknown} [isRun] whether to decode it */
  function takePicture(isRun) {
    fill({ text: widgetOf("picture")?.get()?.picture ?? "" });
    if (isRun === true) run();
  }

  const source = createSource(texts, { form, run });

  loading.follow((text) => {
    if (isWaiting) say(text);
  });

  /** Loads the engine for a reader who begins to type. */
  const prepare = () =>
    loading
      .ask("load", { checkpoint: form.values().checkpoint })
      .then(() => {
        isReady = true;
        return tokenize();
      })
      .catch(console.warn);

  // The tokens of the text while it is typed, once the network is there.
  async function tokenize() {
    const { checkpoint, text } = form.values();
    const { picture } = texts.checkpoints[checkpoint];
    if (!isReady || picture || !text.trim()) return;
    const tokens = await loading
      .ask("tokens", { checkpoint, text })
      .catch((/** @type {Error} */ error) => ({ tokens: [], unknown: [], note: sentence(error) }));
    if (form.values().text === text) widgetOf("source-tokens")?.set(tokens);
  }

  const step = { request: /** @type {Values} */ ({}), file: "" }; // the state of a lesson's step, and its trace

  /** The file of a request's trace: of a checkpoint's example, or of a lesson's step. @param {Values} request */
  function storedTrace(request) {
    const { text, maxLength } = texts.checkpoints[request.checkpoint];
    const example = { ...initial, checkpoint: request.checkpoint, text, max_length: maxLength };
    const isEdit = "forced" in request;
    const matches = (/** @type {Values} */ stored) =>
      !isEdit && names.every((name) => String(request[name]) === String(stored[name]));
    if (matches(example)) return `checkpoints/${request.checkpoint}/drawn.${code}.json`;
    return matches(step.request) ? step.file : "";
  }

  /** @param {Values} request */
  async function traceOf(request) {
    const file = storedTrace(request);
    if (file) return read(file);
    isSlow = !(await loading.ask("load", { checkpoint: request.checkpoint })).isFast;
    isReady = true;
    if (isWaiting && isSlow) say(slow());
    return (await loading.ask("decode", { request })).trace;
  }

  function beginToWait() {
    if (!isReady && loading.current()) say(loadingDecoder());
    else if (isSlow && loading.current()) say(slow());
    isWaiting = true;
  }

  /** The last state of a decoding, as the server's. @param {Values} request */
  async function answer(request) {
    const decoding = traceOf(request);
    pending = decoding;
    const patience = setTimeout(beginToWait, PATIENCE_MILLISECONDS);
    try {
      const trace = await decoding;
      return decoding === pending ? { trace } : {};
    } catch (error) {
      console.warn(error);
      return decoding === pending ? { refused: sentence(/** @type {Error} */ (error)) } : {};
    } finally {
      clearTimeout(patience);
      if (decoding === pending) {
        if (isWaiting) say("");
        isWaiting = false;
      }
    }
  }

  /** Ends the decoding with the best output so far; one whose network is still loading has none. */
  async function stop() {
    if (document.querySelector("#progress [role=status]:not(:empty)")) pending = null;
    say("");
    (await loading.current())?.("cancel");
  }

  const view = () => /** @type {any} */ (document.querySelector("#trace .trace-view"));

  const trace = {
    server: {
      begin_decoding: (/** @type {any[]} */ sent) =>
        answer(Object.fromEntries(names.map((name, index) => [name, sent[index]]))),
      begin_edit: ({ settings, ...edit }) => answer({ ...settings, ...edit }),
      leave_decoding: stop,
      shell: () => fetch(new URL(`texts/${code}/exported.html`, document.baseURI)).then((file) => file.text()),
    },
    listeners: { error: say },
  };

  /** The data of a trace file, or its problem. @param {string} content gzip in base64 */
  const readTraceFile = (content) => loading.ask("answer", { question: "trace_file", values: { content } });

  /** @param {{ checkpoint: string, text: string, settings: Values, run: boolean }} request of an earlier result */
  async function reopen({ checkpoint, text, settings, run: isRun }) {
    const isKnown = Object.hasOwn(texts.checkpoints, checkpoint);
    if (isKnown) source.show(checkpoint, { ...settings, text });
    (await functionsOf("#results .results")).onFilled({
      run: isRun && isKnown,
      notice: isKnown ? "" : t("This page does not have the checkpoint {name}.", { name: checkpoint }),
    });
  }

  function begin() {
    const progress = document.querySelector("#progress .html-container > div");
    const status = make("div");
    status.setAttribute("role", "status");
    Object.assign(status, { say: (/** @type {string} */ text) => Object.assign(status, { textContent: text }) });
    progress?.replaceChildren(status);
    form.begin();
    for (const part of ["#source", "#strategy-card", "#picture"])
      document.querySelector(part)?.addEventListener("focusin", prepare, { once: true });
    control("text").onChange(() => tokenize().catch(console.warn));
    source.begin();
    document.getElementById("run")?.addEventListener("click", run);
    document.getElementById("stop")?.addEventListener("click", () => stop().catch(console.error));
    document.getElementById("resample")?.addEventListener("click", () => {
      fill({ seed: control("seed").get() + 1 });
      run();
    });
    document.addEventListener("unrolled:shown", (event) => {
      if (event.target !== view() || /** @type {CustomEvent<string>} */ (event).detail === "view") return;
      const { strategy } = view().unrolled.result().labels;
      widgetOf("strategy-chip")?.set(strategy);
    });
    gather();
  }

  /**
   * Shows what an address asks for, and the stored example of the checkpoint if it asks for nothing.
   * @param {import("./visit.js").LinkValues} linked
   */
  async function visit({ form: linked, view, trace = "" }) {
    const name = linked.checkpoint ?? initial.checkpoint;
    const isAsked = Object.keys(linked).length > 0;
    source.show(name, { text: texts.checkpoints[name].text, ...linked });
    Object.assign(step, { request: form.values(), file: trace });
    if (!isAsked) widgetOf("trace")?.set(`\n${JSON.stringify(await traceOf({ ...initial }))}`);
    return { run: isAsked, view };
  }

  return {
    begin,
    visit,
    parts: /** @type {Record<string, { server?: any, listeners?: any }>} */ ({
      trace,
      results: { listeners: { reopen }, server: { read_trace_file: readTraceFile } },
      picture: { listeners: { input: takePicture, chosen: () => takePicture(true) } },
      "share-decode": { listeners: { gather } },
    }),
  };
}

/**
 * The choice of a checkpoint, its examples and its card. If another checkpoint can read the reader's text, it stays.
 * @param {Texts} texts
 * @param {{ form: Form, run: () => void }} page
 */
function createSource({ checkpoints }, { form, run }) {
  let before = form.values().checkpoint; // the checkpoint that the form was filled in for

  /** @type {(name: string, values: Values) => void} shows a checkpoint with a request, without decoding */
  function show(name, values) {
    const checkpoint = checkpoints[name];
    before = name;
    form.fill({ max_length: checkpoint.maxLength, ...values, checkpoint: name });
    widgetOf("checkpoint-name")?.set(checkpoint.title);
    widgetOf("checkpoint-summary")?.set(checkpoint.summary);
    widgetOf("model-card-text")?.set(checkpoint.card);
    widgetOf("source-tokens")?.set(checkpoint.tokens);
    widgetOf("picture")?.set(checkpoint.picture && { ...checkpoint.picture, picture: values.text ?? checkpoint.text });
    nameButtons(
      ARROWS,
      checkpoint.neighbours.map(([, label]) => label),
    );
    nameButtons(EXAMPLES, checkpoint.picture ? [] : checkpoint.examples);
  }

  async function choose() {
    const { checkpoint: name, text, max_length: length } = form.values();
    if (name === before) return;
    const [old, fresh] = [checkpoints[before], checkpoints[name]];
    const keeps = text.trim() && old.alike.includes(name);
    const isOwn = text.trim() && !old.examples.includes(text);
    const result = keeps || !isOwn ? null : { checkpoint: before, label: old.label, text };
    const isSetByHand = length !== old.maxLength;
    show(name, { text: keeps ? text : fresh.text, max_length: isSetByHand ? length : fresh.maxLength });
    globalThis.unrolled.choose(name);
    (await functionsOf("#results .results")).checkpointFilled({
      checkpoint: name,
      run: true,
      kept: result,
      notice: result ? fresh.replacement : "",
    });
  }

  function begin() {
    form.control("checkpoint").element.addEventListener("change", () => choose().catch(console.error));
    for (const [index, arrow] of buttonsOf(ARROWS).entries())
      arrow.addEventListener("click", () => {
        form.control("checkpoint").set(checkpoints[before].neighbours[index][0]);
        choose().catch(console.error);
      });
    for (const example of buttonsOf(EXAMPLES))
      example.addEventListener("click", () => {
        form.fill({ text: example.textContent });
        run();
      });
  }

  return { show, begin };
}
