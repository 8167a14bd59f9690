// @ts-check
// The form of the Decode tab, and the decodings that it asks for. The engine computes them in a worker; the first
// example of a checkpoint is stored, so that a result is there before any weights are.

import { functionsOf } from "../../views/page/late_elements.js";
import { make } from "../../views/shared/dom.js";
import { t } from "../../views/shared/translate.js";
import { createSource } from "./source.js";
import { widgets } from "./widgets.js";

/** @typedef {import("./start.js").Texts} Texts */
/** @typedef {Record<string, any>} Values by the names of a link's parameters */

const ENGINE = "scripts/static/worker/engine.js";
const MEGABYTE = 1_000_000;

/** @param {string} elem_id */
export const widgetOf = (elem_id) =>
  [...widgets.values()].find(({ element }) => element.closest(`#${elem_id}`) !== null);

/**
 * @param {Texts} texts
 * @param {{ read: (address: string) => Promise<any>, code: string }} page
 */
export function createDecode(texts, { read, code }) {
  const names = Object.keys(texts.controls);
  /** @param {string} name */
  const control = (name) => /** @type {import("./widgets.js").Widget} */ (widgets.get(texts.controls[name]));
  /** @returns {Values} */
  const form = () => Object.fromEntries(names.map((name) => [name, control(name).get()]));
  const gather = () => globalThis.unrolled.gather?.("decode", names, Object.values(form()));
  const first = form().checkpoint;
  const initial = form();
  const say = (/** @type {string} */ text) =>
    /** @type {any} */ (document.querySelector("#progress [role=status]")).say(text);
  /** @type {Promise<any> | null} */
  let engine = null;
  let problem = ""; // why the last decoding failed

  /** @param {Values} values sets the controls without decoding */
  function fill(values) {
    for (const [name, value] of Object.entries(values)) if (names.includes(name)) control(name).set(value);
    gather();
  }

  function run() {
    globalThis.unrolled.run(true);
    globalThis.unrolled.decode(Object.values(form()));
  }

  const source = createSource(texts, { form, fill, run });

  /** @param {{ loaded: number, total: number }} progress of the weights */
  function onProgress({ loaded, total }) {
    const values = { loaded: (loaded / MEGABYTE).toFixed(1), total: (total / MEGABYTE).toFixed(1) };
    say(loaded < total ? t("Loading the network: {loaded} of {total} MB", values) : "");
  }

  function loadEngine() {
    engine ??= import(new URL(ENGINE, document.baseURI).href).then(({ createEngine }) =>
      createEngine({ base: new URL(".", document.baseURI).href, language: code, onProgress }),
    );
    engine.catch(() => {
      engine = null; // the next decoding tries again
    });
    return engine;
  }

  /** Whether a request is that of the checkpoint's stored example. @param {Values} request */
  function isStored(request) {
    const { text, maxLength } = texts.checkpoints[request.checkpoint];
    const usual = { ...initial, checkpoint: request.checkpoint, text, max_length: maxLength };
    return names.every((name) => String(request[name]) === String(usual[name]));
  }

  /** @param {Values} request */
  async function decoded(request) {
    if (isStored(request)) return read(`checkpoints/${request.checkpoint}/drawn.${code}.json`);
    const computing = await loadEngine();
    await computing.load(request.checkpoint);
    return computing.decode(request);
  }

  /** The trace of a request; null if there is none, for which `problem` has the reason. @param {Values} request */
  async function answer(request) {
    problem = "";
    try {
      return { trace: await decoded(request), note: "" };
    } catch (error) {
      console.warn(error);
      problem =
        error instanceof TypeError
          ? t("The network could not be loaded. Check the connection, then try again.")
          : String(/** @type {Error} */ (error).message);
      return null;
    }
  }

  function refused() {
    globalThis.unrolled.run(false, true);
    say(problem);
  }

  const leave = () => Promise.resolve(engine?.then((computing) => computing.cancel()));

  const trace = {
    server: {
      decode_at_once: (/** @type {any[]} */ values) =>
        answer(Object.fromEntries(names.map((name, index) => [name, values[index]]))),
      edit_at_once: ({ settings, ...edit }) => answer({ ...form(), ...settings, ...edit }),
      leave_decoding: leave,
      shell: () => fetch(new URL(`texts/${code}/exported.html`, document.baseURI)).then((file) => file.text()),
    },
    listeners: {
      queued: refused,
      edit: () => {
        const view = /** @type {any} */ (document.querySelector("#trace .trace-view"));
        view.dataset.editing = "false";
        view.unrolled.refused();
        say(problem);
      },
    },
  };

  /** @param {{ checkpoint: string, text: string, settings: Values, run: boolean }} request of an earlier result */
  async function reopen({ checkpoint, text, settings, run: isRun }) {
    const isKnown = Object.hasOwn(texts.checkpoints, checkpoint);
    if (isKnown) source.show(checkpoint, { ...settings, text });
    (await functionsOf("#results .results")).filled({
      run: isRun && isKnown,
      said: isKnown ? "" : t("This page does not have the checkpoint {name}.", { name: checkpoint }),
    });
  }

  function begin() {
    const progress = document.querySelector("#progress .html-container > div");
    const status = make("div");
    status.setAttribute("role", "status");
    Object.assign(status, { say: (/** @type {string} */ text) => Object.assign(status, { textContent: text }) });
    progress?.replaceChildren(status);
    for (const name of names) control(name).onChange(gather);
    source.begin();
    document.getElementById("run")?.addEventListener("click", run);
    document.getElementById("stop")?.addEventListener("click", () =>
      leave()
        .then(() => globalThis.unrolled.run(false))
        .catch(console.error),
    );
    document.getElementById("resample")?.addEventListener("click", () => {
      fill({ seed: control("seed").get() + 1 });
      run();
    });
    document.addEventListener("unrolled:shown", () => {
      const strategy = /** @type {any} */ (document.querySelector("#trace .trace-view")).unrolled.result().labels
        .strategy;
      widgetOf("strategy-chip")?.set(strategy);
    });
    gather();
  }

  return {
    begin,
    fill,
    /** @param {string} name @param {Values} values */
    show: (name, values) => source.show(name, values),
    first,
    /** Draws the stored example of the first checkpoint. */
    showExample: async () => widgetOf("trace")?.set(`\n${JSON.stringify(await decoded({ ...initial }))}`),
    parts: /** @type {Record<string, { server?: any, listeners?: any }>} */ ({
      trace,
      results: { listeners: { reopen } },
      "share-decode": { listeners: { gather } },
    }),
  };
}
