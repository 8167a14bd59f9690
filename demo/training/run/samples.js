// @ts-check
// Validation sentences at the scrubber's evaluation: source, reference, and the output with its differences.
import { asData, find, make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { whenNew } from "./parts.js";

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
