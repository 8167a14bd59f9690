// @ts-check
// Stores values in the browser for the next visit. A page in a frame may not be allowed to store any.

/**
 * @param {string} key
 * @returns {any} the stored value, or undefined
 */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} key
 * @param {any} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value lasts for this visit only.
  }
}
