// @ts-check
// Texts against a baseline: additions are underlined, omissions struck through; never by colour alone.
// A part of a difference begins with a space if one precedes it; replaced and replacing parts stay apart.

import { pictureImage, pictureSource } from "../../widgets/pictures/pictures.js";
import { asData, make } from "../../widgets/view/dom.js";
import { wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

export function isApart(parts, index) {
  return (
    index > 0 && (parts[index][1].startsWith(" ") || (parts[index][0] !== "same" && parts[index - 1][0] !== "same"))
  );
}

export function diffText(parts, className) {
  const line = asData(make("span", className));
  parts.forEach(([kind, text], index) => {
    if (isApart(parts, index)) line.append(" ");
    line.append(kind === "same" ? text.trimStart() : make(kind === "added" ? "ins" : "del", "", text.trimStart()));
  });
  return line;
}

export function plainText(text, className) {
  const line = asData(make("span", className, text || t("(empty)")));
  if (!text) line.classList.add("cp-nothing");
  return line;
}

// A source: a picture, or a text with its differences.
export function sourceNode(text, parts) {
  const picture = pictureSource(text);
  if (picture) return pictureImage(picture, "cp-picture", t("The picture that was read"));
  return parts ? diffText(parts, "cp-source") : plainText(text, "cp-source");
}

export const sourceText = (text) => (pictureSource(text) ? t("(picture)") : text);

// The state of a row or side without an output.
export function stateNode(tag, { state, problem, expanded }) {
  const [className, text] = {
    failed: ["cp-problem", problem],
    running: [
      "cp-busy",
      expanded ? t("decoding, prefixes so far: {count}", { count: wholeText(expanded) }) : t("decoding"),
    ],
    waiting: ["cp-waiting", t("waiting")],
    stopped: ["cp-waiting", t("stopped")],
  }[/** @type {"failed" | "running" | "waiting" | "stopped"} */ (state)];
  return make(tag, className, text);
}

// Keys of differences are "baseline,text", as on the server.
export function outputText(value, baseline, index) {
  const parts = baseline === null || baseline === index ? null : value.diffs[`${baseline},${index}`];
  return parts?.length ? diffText(parts, "cp-text") : plainText(value.texts[index], "cp-text");
}

// The first step, from 1, at which two lists of ids differ; 0 if they are equal.
export function firstDifference(one, other) {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1)
    if (one[index] !== other[index]) return index + 1;
  return 0;
}
