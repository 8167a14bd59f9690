// @ts-check
// Stores values in the browser, for the next visit or for the next page in the same tab. A page in a frame may not be
// allowed to store any.

/** @typedef {"localStorage" | "sessionStorage"} Place for the next visit, or for the next page */

/**
 * @param {string} key
 * @param {Place} [place]
 * @returns {any} the stored value, or undefined
 */
export function recall(key, place = "localStorage") {
  try {
    return JSON.parse(globalThis[place].getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} key
 * @param {any} value
 * @param {Place} [place]
 */
export function remember(key, value, place = "localStorage") {
  try {
    globalThis[place].setItem(key, JSON.stringify(value));
  } catch {
    // The value lasts for this visit only.
  }
}
