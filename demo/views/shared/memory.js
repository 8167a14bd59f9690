// @ts-check
// What a browser keeps for the next visit; a frame may keep nothing.

/**
 * @param {string} key
 * @returns {any} what was kept, undefined for nothing
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
    // Chosen for this visit alone.
  }
}
