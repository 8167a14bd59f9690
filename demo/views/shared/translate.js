// @ts-check
// The visitor's language. A key is the English sentence; {fields} are filled in after it was translated.

/** @typedef {Record<string, string | number>} Fields */

/** @returns {Record<string, string>} */
const words = () =>
  globalThis.unrolled?.words ?? Object.values(globalThis.gradio_config?.i18n_translations ?? {})[0] ?? {};

/** Words that came with what was fetched late. @type {Record<string, string>} */
const added = {};

/** @param {Record<string, string>} more */
export function addWords(more) {
  Object.assign(added, more);
}

/**
 * @param {string} text
 * @param {Fields} [values]
 * @returns {string}
 */
export function t(text, values = {}) {
  const known = words();
  const told = Object.hasOwn(known, text) ? known[text] : (added[text] ?? text);
  return told.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
