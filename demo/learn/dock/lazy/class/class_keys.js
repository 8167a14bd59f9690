// @ts-check
// The keys of the classes that this browser has opened, in all its tabs; and a pupil's random name, in one tab.
import { recall, remember } from "../../../../widgets/view/memory.js";

const KEYS = "unrolled-classes";
const KEPT_MILLISECONDS = 4 * 3600 * 1000; // a class ends after four hours
const PUPIL = "unrolled-pupil";
const PUPIL_WORDS = 4; // words of 32 bits

/** @typedef {Record<string, { key: string, opened: number }>} Keys by the names of classes, with the time in ms */

/** @returns {Keys} */
function allKeys() {
  const stored = recall(KEYS);
  return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
}

/**
 * The teacher's key of a class; empty if this browser has not opened it.
 * @param {string} name
 */
export const keyOf = (name) => String(allKeys()[name]?.key ?? "");

/**
 * Keeps the key of a class, and drops those of classes that are over.
 * @param {string} name
 * @param {string} key
 */
export function keepKey(name, key) {
  const now = Date.now();
  const live = Object.entries(allKeys()).filter(([, entry]) => now - (entry?.opened ?? 0) < KEPT_MILLISECONDS);
  remember(KEYS, { ...Object.fromEntries(live), [name]: { key, opened: now } });
}

/** A pupil's name, the same when the page is reloaded. `crypto.randomUUID` exists only over https and on localhost. */
export function pupilName() {
  try {
    const stored = sessionStorage.getItem(PUPIL);
    if (stored) return stored.replaceAll('"', ""); // earlier versions kept it as JSON
  } catch {
    // A page in a frame may not be allowed to store anything: then a reload makes another pupil.
  }
  const words = crypto.getRandomValues(new Uint32Array(PUPIL_WORDS));
  const name = Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
  try {
    sessionStorage.setItem(PUPIL, name);
  } catch {
    // The name is then not stored.
  }
  return name;
}
