// @ts-check
// What a link says of a view of Inspect or a lab: its name, and what was chosen in it. Knows no element.

/** @typedef {Record<string, string | number>} Choices by the names of a view's controls */

/**
 * As the value of a link's parameter: `heads,kind:cross`.
 * @type {(view: string, chosen: Choices) => string}
 */
export function writtenChoices(view, chosen) {
  const parts = Object.entries(chosen).map(([name, value]) => `${name}:${encodeURIComponent(value)}`);
  return [view, ...parts].join(",");
}

/**
 * @param {string | undefined} text as `writtenChoices` writes it; whatever is not so is left out
 * @returns {{ view: string, chosen: Choices } | null}
 */
export function readChoices(text) {
  if (!text) return null;
  const [view, ...parts] = text.split(",");
  /** @type {Choices} */
  const chosen = {};
  for (const part of parts) {
    const at = part.indexOf(":");
    if (at < 1) continue;
    try {
      chosen[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {} // half of a sign
  }
  return { view, chosen };
}
