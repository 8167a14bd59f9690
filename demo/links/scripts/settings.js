// @ts-check
// The configuration of links from Python (`page_config` in demo/links/parameters.py), and the parts of the page that a
// link or the reader hides (demo/links/hiding.py).

/**
 * @typedef {object} Settings
 * @property {Record<string, string[]>} parameters of a link, by tab
 * @property {Record<string, any>} defaults by setting
 * @property {Record<string, any>} leftOut values that a link leaves out, by parameter
 * @property {Record<string, [label: string, tabs: string[]]>} parts that can be hidden
 * @property {Record<string, [label: string, hidden: string[]][]>} presets common choices of parts, by tab
 * @property {number} mostPicture characters of a picture in a link
 * @property {number} mostPasted bytes of pasted lines in a link
 * @property {number} mostEdits in a link
 * @property {Record<string, string>} glossary addresses of the terms, by language
 * @property {string} runName pattern of the name of a checkpoint that a visitor trained
 */

/** @returns {Settings} */
export const settings = () => globalThis.unrolled.config;

/** @param {string[]} names of parts; unknown ones are ignored */
export function hide(names) {
  document.documentElement.dataset.hide = names.filter((name) => Object.hasOwn(settings().parts, name)).join(" ");
  document.dispatchEvent(new CustomEvent("unrolled:hide"));
}

/** The parts that are hidden now. */
export const hiddenParts = () => (document.documentElement.dataset.hide ?? "").split(" ").filter(Boolean);

/**
 * The parts of a tab that can be hidden, each with its name and its label.
 * @type {(tab: string) => [string, string][]}
 */
export const partsOf = (tab) =>
  Object.entries(settings().parts)
    .filter(([, [, tabs]]) => tabs.includes(tab))
    .map(([name, [label]]) => [name, label]);

/** Common choices of hidden parts on a tab, for a class: the label and the parts of each. @param {string} tab */
export const presetsOf = (tab) => settings().presets[tab] ?? [];
