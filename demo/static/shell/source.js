// @ts-check
// The choice of a checkpoint, its examples and its card. If another checkpoint can read the reader's text, the text stays.
import { functionsOf } from "../../page/scripts/late_elements.js";
import { widgetOf } from "./decode.js";
import { widgets } from "./widgets.js";

/** @typedef {import("./decode.js").Values} Values */

/**
 * @param {import("./start.js").Texts} texts
 * @param {{ form: () => Values, fill: (values: Values) => void, run: () => void }} page
 */
export function createSource({ checkpoints, controls }, { form, fill, run }) {
  let before = form().checkpoint; // the checkpoint that the form was filled in for

  /** @type {(name: string, values: Values) => void} shows a checkpoint with a request, without decoding */
  function show(name, values) {
    const checkpoint = checkpoints[name];
    before = name;
    fill({ max_length: checkpoint.maxLength, ...values, checkpoint: name });
    widgetOf("checkpoint-name")?.set(checkpoint.title);
    widgetOf("checkpoint-summary")?.set(checkpoint.summary);
    widgetOf("model-card-text")?.set(checkpoint.card);
    widgetOf("source-tokens")?.set(checkpoint.tokens);
    widgetOf("picture")?.set(checkpoint.picture && { ...checkpoint.picture, picture: values.text ?? checkpoint.text });
    arrows().forEach((arrow, index) => {
      arrow.textContent = checkpoint.neighbours[index]?.[1] ?? "";
      arrow.hidden = !arrow.textContent;
    });
    examples().forEach((example, index) => {
      example.textContent = checkpoint.picture ? "" : (checkpoint.examples[index] ?? "");
      example.hidden = !example.textContent;
    });
  }

  const arrows = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#checkpoint-neighbours button")]);
  const examples = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#examples .example")]);

  async function choose() {
    const { checkpoint: name, text, max_length: length } = form();
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
    widgets.get(controls.checkpoint)?.element.addEventListener("change", () => choose().catch(console.error));
    arrows().forEach((arrow, index) => {
      arrow.addEventListener("click", () => {
        widgets.get(controls.checkpoint)?.set(checkpoints[before].neighbours[index][0]);
        choose().catch(console.error);
      });
    });
    for (const example of examples())
      example.addEventListener("click", () => {
        fill({ text: example.textContent });
        run();
      });
  }

  return { show, begin };
}
