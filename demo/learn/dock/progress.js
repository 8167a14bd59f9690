// @ts-check
// A reader's progress in the lessons, and their predictions, stored in the browser only.
import { recall, remember } from "../../widgets/view/memory.js";

const KEY = "unrolled-lessons";

/**
 * @typedef {object} Progress of one lesson
 * @property {number} step the last step that was opened, from 1
 * @property {boolean} done whether the lesson was finished
 * @property {Record<string, any>} guesses by the names of steps
 */

/** What the browser has stored by names; nothing if it is not of this form. @param {string} key */
export function recallRecord(key) {
  const stored = recall(key);
  return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
}

/** @returns {Record<string, Progress>} by the lessons' ids */
export const allProgress = () => recallRecord(KEY);

/**
 * @param {string} lesson
 * @returns {Progress}
 */
export function progressOf(lesson) {
  const stored = allProgress()[lesson];
  const guesses = stored?.guesses && typeof stored.guesses === "object" ? stored.guesses : {};
  return { step: Number(stored?.step) || 1, done: stored?.done === true, guesses };
}

/**
 * @param {string} lesson
 * @param {Partial<Progress>} changed
 */
export function keepProgress(lesson, changed) {
  remember(KEY, { ...allProgress(), [lesson]: { ...progressOf(lesson), ...changed } });
  document.dispatchEvent(new CustomEvent("unrolled:progress"));
}
