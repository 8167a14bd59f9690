// @ts-check
// The visitor's language. A key is the English sentence; {fields} are filled in after the translation.

/** @typedef {Record<string, string | number>} Fields */

/** @returns {Record<string, string>} */
const words = () =>
  globalThis.unrolled?.words ?? Object.values(globalThis.gradio_config?.i18n_translations ?? {})[0] ?? {};

/** Translations of scripts that are fetched on demand. @type {Record<string, string>} */
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
  const table = words();
  const translated = Object.hasOwn(table, text) ? table[text] : (added[text] ?? text);
  return translated.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
