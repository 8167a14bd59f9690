// @ts-check
// Writes the query of a link.

/** @typedef {Record<string, any>} Values by the names of a link's parameters */

/** Replaces half of a surrogate pair, which an address cannot contain. @param {string} text */
const whole = (text) => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

/** @param {string} text */
export const strict = (text) =>
  encodeURIComponent(whole(text)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** @param {string} text */
export const encode = (text) => strict(text).replaceAll("%2C", ",").replaceAll("%3A", ":");

/** @param {any} item a list of token ids, or the settings of a strategy */
function itemText(item) {
  if (Array.isArray(item)) return item.join(",");
  const { strategy, ...others } = item;
  return [
    strategy,
    ...Object.entries(others).map(([name, value]) => `${name}:${strict(String(value)).replaceAll("~", "%7E")}`),
  ].join(",");
}

/** @param {any} value */
const valueText = (value) => (Array.isArray(value) ? value.map(itemText).join("~") : String(value));

/**
 * The query with the values that differ from their defaults.
 * @param {{ parameters: Record<string, string[]>, leftOut: Values }} config
 * @param {string} tab
 * @param {Values} values
 * @param {string[]} hidden parts of the page
 */
export function queryText(config, tab, values, hidden = []) {
  const pairs = [["tab", tab]];
  for (const name of config.parameters[tab]) {
    const value = values[name] ?? null;
    if (value !== null && value !== config.leftOut[name]) pairs.push([name, valueText(value)]);
  }
  if (hidden.length) pairs.push(["hide", hidden.join(",")]);
  return pairs
    .filter(([, text]) => text)
    .map(([name, text]) => `${name}=${encode(text)}`)
    .join("&");
}

/**
 * An address with another query, which keeps the parameters of Gradio and the Hub, such as `__theme`.
 * @type {(href: string, query: string) => string}
 */
export function withQuery(href, query) {
  const url = new URL(href);
  const reserved = [...url.searchParams].filter(([name]) => name.startsWith("__"));
  url.search = [query, ...reserved.map(([name, value]) => `${encode(name)}=${encode(value)}`)].join("&");
  return url.href;
}

/** The query without the parameters of Gradio and the Hub: `__sign` opens a private Space. @param {string} href */
export function ownQuery(href) {
  const parts = new URL(href).search.slice(1).split("&");
  return parts.filter((part) => !part.startsWith("__")).join("&");
}
