// @ts-check
// The configuration of links from Python: `page_config` in demo/links/parameters.py.

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
