// @ts-check
// The pairs that the run was taught: the original checkpoint's output for each, and this run's.
import { asData, find, make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { makeRow, whenNew } from "./parts.js";

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
