// @ts-check
// Validation sentences at the scrubber's evaluation: source, reference, and the output with its differences.
import { asData, find, make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { makeRow, whenNew } from "./parts.js";

export function createRunSamples(root, run) {
  const card = find(root, ".rv-samples");
  const list = find(card, "ol");

  function line(name, className, text) {
    const value = asData(make("dd", className, text || t("(nothing)")));
    if (!text) value.classList.add("rv-nothing");
    return [make("dt", "", name), value];
  }

  function outputLines({ output, parts }) {
    if (!parts || !output) {
      const [label, value] = line(t("output"), "rv-out", output);
      if (!parts) value.append(make("small", "", `✓ ${t("as the reference")}`));
      return [label, value];
    }
    const pieces = parts.map(([kind, text]) =>
      kind === "same" ? text : make(kind === "added" ? "ins" : "del", "", text),
    );
    return [make("dt", "", t("output")), asData(make("dd", "rv-out", ...pieces))];
  }

  const draw = whenNew((samples) =>
    list.replaceChildren(
      ...samples.map((/** @type {any} */ { texts: [source, reference], ...sample }) => {
        const pair = [...line(t("source"), "rv-src", source), ...line(t("reference"), "rv-ref", reference)];
        return make("li", "", make("dl", "", ...pair, ...outputLines(sample)));
      }),
    ),
  );

  function update() {
    const samples = run.current()?.samples ?? [];
    card.hidden = !run.payload.pairs.length;
    draw(samples.map(({ pair, ...sample }) => ({ ...sample, texts: run.payload.pairs[pair] })));
  }

  return { update };
}

// The pairs that the run was taught: the original checkpoint's output for each, and this run's.
/** @param {HTMLElement} root */
export function createTaught(root) {
  const card = find(root, ".rv-taught");
  const body = find(card, "tbody");

  /** @type {(text: string, target: string) => HTMLElement} an output, with a mark if it equals the target */
  function output(text, target) {
    const cell = make("td", text ? "" : "rv-nothing", text || t("(nothing)"));
    if (text === target) cell.append(make("small", "", `✓ ${t("as taught")}`));
    return cell;
  }

  const draw = whenNew((pairs) =>
    body.replaceChildren(
      ...pairs.map(({ source, target, before, after }) => {
        const texts = [make("td", "rv-src", source), make("td", "", target)];
        return makeRow(...[...texts, output(before, target), output(after, target)].map(asData));
      }),
    ),
  );

  /** @param {{ taught: { source: string, target: string, before: string, after: string }[] }} payload */
  function load({ taught }) {
    card.hidden = !taught.length;
    draw(taught);
  }

  return { load };
}
