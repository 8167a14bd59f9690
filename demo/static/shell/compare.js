// @ts-check
// The form of the Compare tab: strategies side by side on one text, and the row that the reader opens in full.
import { carried } from "../../views/page/decoding/carry.js";
import { find, make } from "../../views/shared/dom.js";
import { t } from "../../views/shared/translate.js";
import { createComparing } from "./comparing.js";
import { widgetOf } from "./decode.js";
import { sentence } from "./loading.js";
import { widgets } from "./widgets.js";

/** @typedef {import("./visit.js").Values} Values */

const MODE = "strategies"; // the only mode of the page without a server

/**
 * @param {import("./start.js").Texts} texts
 * @param {ReturnType<typeof import("./loading.js").createLoading>} loading
 */
export function createCompare({ checkpoints, compared: controls }, loading) {
  const names = Object.keys(controls);
  /** @param {string} name */
  const control = (name) => /** @type {import("./widgets.js").Widget} */ (widgets.get(controls[name]));
  /** @returns {Values} */
  const form = () => Object.fromEntries(names.map((name) => [name, control(name).get()]));
  const gather = () => globalThis.unrolled.gather?.("compare", names, Object.values(form()));
  const examples = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#compare-examples .example")]);
  const view = () => /** @type {any} */ (document.querySelector("#comparison .compare"));
  const status = make("p", "compare-status");
  const say = (/** @type {string} */ text) => {
    status.textContent = text;
  };
  const comparing = createComparing(loading, say, (data) => widgetOf("comparison")?.set(data));
  let before = control("checkpoint").get(); // the checkpoint that the form was filled in for

  /** @param {Values} values sets the controls without comparing */
  function fill(values) {
    for (const [name, value] of Object.entries(values)) if (names.includes(name)) control(name).set(value);
    gather();
  }

  /** Shows a checkpoint with its examples, and other values. @param {string} name @param {Values} values */
  function show(name, values) {
    const { compared, picture } = checkpoints[name];
    const text = values.text ?? compared[0] ?? "";
    before = name;
    fill({ ...values, checkpoint: name, text });
    widgetOf("compare-picture")?.set(picture && { ...picture, picture: text });
    examples().forEach((example, index) => {
      example.textContent = picture ? "" : (compared[index] ?? "");
      example.hidden = !example.textContent;
    });
  }

  function choose() {
    const { checkpoint: name, text } = form();
    if (name === before) return;
    const [old, fresh] = [checkpoints[before], checkpoints[name]];
    const isOwn = !old.compared.includes(text) && Boolean(old.picture) === Boolean(fresh.picture);
    show(name, text.trim() && (old.alike.includes(name) || isOwn) ? { text } : {});
  }

  function run() {
    const { checkpoint, text, strategies } = form();
    comparing.run({ checkpoint, text, strategies }).catch(console.error);
  }

  function byReader() {
    view().unrolled.checked(form().text, "");
    run();
  }

  function widen() {
    const [, checkpoint, , text, , strategies] = view().unrolled.widened();
    show(checkpoint, { text, strategies });
    run();
  }

  /** @param {{ checkpoint: string, text: string }} result the sentence that was decoded last */
  function carry({ checkpoint, text }) {
    show(checkpoint, { text });
    carried().catch(console.error);
  }

  async function open() {
    const { checkpoint, text, settings } = JSON.parse(view().dataset.opened);
    try {
      const data = await comparing.decoded({ ...settings, checkpoint, text });
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

  /** @param {import("./visit.js").LinkValues} linked */
  async function visit({ form: values, view: shown, faults }) {
    const isAsked = Object.keys(values).length > 0;
    const { mode = MODE, checkpoint = before, strategies, text } = values;
    if (mode !== MODE) faults.push(t("This page compares strategies only, and without a reference."));
    else if (values.reference) faults.push(t("This page compares strategies only, and without a reference."));
    const described = await Promise.all((strategies ?? []).map(describe));
    for (const { problem } of described) if (problem) faults.push(problem);
    const valid = (strategies ?? []).filter(
      (/** @type {Values} */ _, /** @type {number} */ at) => !described[at].problem,
    );
    show(checkpoint, { ...(text !== undefined && { text }), ...(valid.length && { strategies: valid }) });
    return { run: isAsked, view: shown, mode: MODE };
  }

  function begin() {
    status.setAttribute("role", "status");
    find(document, "#comparison").before(status);
    for (const name of names) control(name).onChange(gather);
    control("checkpoint").element.addEventListener("change", choose);
    for (const example of examples()) example.addEventListener("click", () => fill({ text: example.textContent }));
    document.getElementById("compare-run-strategies")?.addEventListener("click", byReader);
    document.getElementById("compare-stop")?.addEventListener("click", () => {
      view().unrolled.stop();
      comparing.stop();
    });
    show(before, { text: form().text, reference: "" });
  }

  return {
    begin,
    visit,
    parts: /** @type {Record<string, { server?: any, listeners?: any }>} */ ({
      comparison: { listeners: { shown: run, open, widen, carry } },
      "compare-strategies": { server: { describe }, listeners: { change: gather } },
      "compare-strategy": { server: { describe } },
      "compare-picture": { listeners: { input: takePicture, chosen: takePicture } },
      "share-compare": { listeners: { gather } },
    }),
  };
}
