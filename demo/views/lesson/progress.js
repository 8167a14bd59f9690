// @ts-check
// How far a reader has come in which lesson, and what they predicted: kept by their browser alone.
import { recall, remember } from "../shared/memory.js";

const KEY = "unrolled-lessons";

/**
 * @typedef {object} Progress of one lesson
 * @property {number} step the last one seen, from 1
 * @property {boolean} done whether the last step was left
 * @property {Record<string, any>} guesses by the names of steps
 */

/** @returns {Record<string, Progress>} by the lessons' ids */
export function allProgress() {
  const kept = recall(KEY);
  return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
}

/**
 * @param {string} lesson
 * @returns {Progress}
 */
export function progressOf(lesson) {
  const kept = allProgress()[lesson];
  const guesses = kept?.guesses && typeof kept.guesses === "object" ? kept.guesses : {};
  return { step: Number(kept?.step) || 1, done: kept?.done === true, guesses };
}

/**
 * @param {string} lesson
 * @param {Partial<Progress>} changed
 */
export function keepProgress(lesson, changed) {
  remember(KEY, { ...allProgress(), [lesson]: { ...progressOf(lesson), ...changed } });
  document.dispatchEvent(new CustomEvent("unrolled:progress"));
}
