// @ts-check
// Texts of a test set, set by textContent, in their own direction, with differences marked.

import { pictureImage, pictureSource } from "../../../widgets/pictures/pictures.js";
import { asData, make } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";

const MARKS = /** @type {const} */ ({ s: "span", c: "mark", a: "ins", m: "del" });

/** @param {string} text a source may be a picture */
export function makeText(text) {
  const picture = pictureSource(text);
  if (picture) return pictureImage(picture, "ev-picture", t("a picture"));
  return asData(make("span", "ev-text", text));
}

/** The legend of the marks. */
export function makeLegend() {
  const node = make("p", "ev-legend ev-text", `${t("compared with the reference:")} `);
  const samples = /** @type {const} */ ([
    ["c", t("another word")],
    ["a", t("added")],
    ["m", t("missing")],
  ]);
  for (const [kind, text] of samples) node.append(make(MARKS[kind], "", text), " ");
  return node;
}

/** @param {[kind: "s" | "c" | "a" | "m", text: string][]} pieces changed, added and missing words beside the same */
export function makeDiff(pieces) {
  const node = asData(make("span", "ev-text"));
  for (const [index, [kind, text]] of pieces.entries()) {
    const word = text.trimStart();
    const isApart = index > 0 && (word !== text || [kind, pieces[index - 1][0]].includes("m"));
    if (isApart) node.append(" "); // beside a mark, not inside it, where it would look like a part of the word
    node.append(make(MARKS[kind], "", word));
  }
  if (!pieces.length) node.append(make("i", "", t("(empty)")));
  return node;
}
