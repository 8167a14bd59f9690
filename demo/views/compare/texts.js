// @ts-check
// Texts against a baseline: what is new is underlined, what is missing struck through; never colour alone.
// A run says whether a space stands before it; one that takes another's place keeps its distance.
import { make } from "../shared/dom.js";
import { pictureImage, pictureSource } from "../shared/pictures/picture_source.js";
import { t } from "../shared/translate.js";

export function isApart(parts, at) {
  return at > 0 && (parts[at][1].startsWith(" ") || (parts[at][0] !== "same" && parts[at - 1][0] !== "same"));
}

export function diffText(parts, className) {
  const line = make("span", className);
  line.dir = "auto";
  parts.forEach(([kind, text], at) => {
    if (isApart(parts, at)) line.append(" ");
    line.append(kind === "same" ? text.trimStart() : make(kind === "added" ? "ins" : "del", "", text.trimStart()));
  });
  return line;
}

export function plainText(text, className) {
  const line = make("span", className, text || t("(empty)"));
  line.dir = "auto";
  if (!text) line.classList.add("cp-nothing");
  return line;
}

// A source as a reader takes it in: a picture, or a text with what differs in it.
export function sourceNode(text, parts) {
  const picture = pictureSource(text);
  if (picture) return pictureImage(picture, "cp-picture", t("The picture that was read"));
  return parts ? diffText(parts, "cp-source") : plainText(text, "cp-source");
}

export const sourceText = (text) => (pictureSource(text) ? t("(picture)") : text);

// Server and browser agree on keys: "baseline,text".
export function outputText(value, baseline, index) {
  const parts = baseline === null || baseline === index ? null : value.diffs[`${baseline},${index}`];
  return parts?.length ? diffText(parts, "cp-text") : plainText(value.texts[index], "cp-text");
}

// The first step, from 1, at which two lists of ids differ; 0 if they never do.
export function firstDifference(one, other) {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) if (one[at] !== other[at]) return at + 1;
  return 0;
}
