// @ts-check
// Formats numbers.
import { t } from "./translate.js";

/** @type {(value: number, low: number, high: number) => number} */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/**
 * A number with a true minus sign, which is as wide as a digit; a value that rounds to zero has no sign.
 * @param {number} value
 */
export function numberText(value, digits = 2) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = value.toFixed(digits);
  return text.replace("-", Number(text) ? "−" : "");
}

/**
 * A log-probability as a percentage; a very small one is written <0.1%, not 0%.
 * @param {number} logProb
 */
export function percentText(logProb) {
  const share = Math.exp(logProb);
  if (share > 0 && share < 0.001) return "<0.1%";
  return `${(100 * share).toFixed(share < 0.995 ? 1 : 0)}%`;
}

const MAX_DIGITS = 8; // the most digits of a small percentage, as in demo/i18n/display.py

/** @param {number} share a small one keeps its first digit */
export function smallPercentText(share) {
  if (share <= 0 || share >= 0.001) return percentText(Math.log(share));
  const digits = Math.ceil(-Math.log10(100 * share));
  return digits > MAX_DIGITS ? `<${(10 ** -MAX_DIGITS).toFixed(MAX_DIGITS)}%` : `${(100 * share).toFixed(digits)}%`;
}

/**
 * A log-probability as a percentage, followed by its value in nats.
 * @param {number} logProb
 */
export const chancesText = (logProb) =>
  t("{percent} ({value} nats)", { percent: smallPercentText(Math.exp(logProb)), value: numberText(logProb) });

/** @param {number} value a number of any size, with a few significant digits */
export function shortText(value, digits = 3) {
  const text = Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** @param {number} value */
export const wholeText = (value) => value.toLocaleString("en-US");

/**
 * Indices from the best score to the worst; equal scores keep their order.
 * @param {number[]} scores
 */
export const sortedIndices = (scores) => [...scores.keys()].sort((one, other) => scores[other] - scores[one]);
