// @ts-check
// Writes the query of a link, as `query` in demo/links/writing.py does. Knows no element.

/** @typedef {Record<string, any>} Values by the names of a link's parameters */

/**
 * Half a character has no place in an address.
 * @param {string} text
 */
const whole = (text) => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

/** @param {string} text */
const strict = (text) =>
  encodeURIComponent(whole(text)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** @param {string} text */
const encode = (text) => strict(text).replaceAll("%2C", ",").replaceAll("%3A", ":");

/** @param {any} item a list of token ids, or the settings of a strategy */
function writtenItem(item) {
  if (Array.isArray(item)) return item.join(",");
  const { strategy, ...others } = item;
  return [
    strategy,
    ...Object.entries(others).map(([name, value]) => `${name}:${strict(String(value)).replaceAll("~", "%7E")}`),
  ].join(",");
}

/** @param {any} value */
const written = (value) => (Array.isArray(value) ? value.map(writtenItem).join("~") : String(value));

/**
 * Only what differs from the default.
 * @param {{ parameters: Record<string, string[]>, defaults: Values }} config
 * @param {string} tab
 * @param {Values} values
 * @param {string[]} hidden parts of the page to leave out
 */
export function writtenQuery(config, tab, values, hidden = []) {
  const pairs = [["tab", tab]];
  for (const name of config.parameters[tab]) {
    const value = values[name] ?? null;
    if (value !== null && value !== config.defaults[name]) pairs.push([name, written(value)]);
  }
  if (hidden.length) pairs.push(["hide", hidden.join(",")]);
  return pairs
    .filter(([, text]) => text)
    .map(([name, text]) => `${name}=${encode(text)}`)
    .join("&");
}

/**
 * An address with another query: what Gradio and the Hub put there, `__theme` and its like, stays.
 * @param {string} href
 * @param {string} query
 */
export function withQuery(href, query) {
  const url = new URL(href);
  const kept = [...url.searchParams].filter(([name]) => name.startsWith("__"));
  url.search = [query, ...kept.map(([name, value]) => `${encode(name)}=${encode(value)}`)].join("&");
  return url.href;
}

/**
 * The query without what Gradio and the Hub put there: `__sign` opens a private Space.
 * @param {string} href
 */
export function ownQuery(href) {
  const parts = new URL(href).search.slice(1).split("&");
  return parts.filter((part) => !part.startsWith("__")).join("&");
}
