// @ts-check
// Texts of a test set, which are data: by textContent, in their own direction, with what differs marked.
import { make } from "../../shared/dom.js";
import { pictureImage, pictureSource } from "../../shared/pictures/picture_source.js";
import { t } from "../../shared/translate.js";

const MARKS = /** @type {const} */ ({ s: "span", c: "mark", a: "ins", m: "del" });

/** @param {string} text a source may be a picture */
export function makeText(text) {
  const picture = pictureSource(text);
  if (picture) return pictureImage(picture, "ev-picture", t("a picture"));
  const node = make("span", "ev-text", text);
  node.dir = "auto";
  node.translate = false;
  return node;
}

/** @param {[kind: "s" | "c" | "a" | "m", text: string][]} pieces changed, added and missing words beside the same */
export function makeDiff(pieces) {
  const node = make("span", "ev-text");
  node.dir = "auto";
  node.translate = false;
  node.append(...pieces.map(([kind, text]) => make(MARKS[kind], "", text)));
  if (!pieces.length) node.append(make("i", "", t("(empty)")));
  return node;
}
