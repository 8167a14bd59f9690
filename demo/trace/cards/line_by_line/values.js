// @ts-check
// The values of variables, and their texts in sentences and tables.
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { Token } from "./recorded.js";

/** @param {any} value a list of tokens */
export const isPrefix = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof Token);

/** @param {any} value numbers, then a prefix or a token */
export const isRow = (value) =>
  Array.isArray(value) &&
  typeof value[0] === "number" &&
  (value.at(-1) instanceof Token || Array.isArray(value.at(-1)));

/** The text of a prefix. @param {Token[]} prefix */
export function prefixText(prefix) {
  if (!prefix.length) return t("start");
  const labels = prefix.map(({ label }) => label);
  return labels.some((label) => label.startsWith("␣")) ? labels.join("").replaceAll("␣", " ").trim() : labels.join(" ");
}

/** @param {any} value as a sentence or a table writes it */
export function valueText(value) {
  if (value instanceof Token) return value.label;
  if (isPrefix(value) || (Array.isArray(value) && !value.length)) return prefixText(value);
  return Number.isInteger(value) || typeof value !== "number" ? String(value) : numberText(value);
}
