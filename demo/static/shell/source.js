// @ts-check
// The choice of a checkpoint, its examples and its card. If another checkpoint can read the reader's text, the text stays.
import { functionsOf } from "../../page/scripts/late_elements.js";
import { buttonsOf, nameButtons, widgetOf } from "./widgets.js";

/** @import { Form, Values } from "./form.js" */

const ARROWS = "#checkpoint-neighbours button";
const EXAMPLES = "#examples .example";

/** @param {import("./start.js").Texts} texts @param {{ form: Form, run: () => void }} page */
export function createSource({ checkpoints }, { form, run }) {
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
