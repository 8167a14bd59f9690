// @ts-check
// A view of Inspect, or a lab, with the reader's choices as text, for links.

/** @typedef {Record<string, string | number>} Choices by the names of a view's controls */

/**
 * The choices as the value of a link's parameter: `heads,kind:cross`.
 * @type {(view: string, choices: Choices) => string}
 */
export function choicesText(view, chosen) {
  const parts = Object.entries(chosen).map(([name, value]) => `${name}:${encodeURIComponent(value)}`);
  return [view, ...parts].join(",");
}

/**
 * @param {string | undefined} text as `choicesText` writes it; invalid parts are left out
 * @returns {{ view: string, choices: Choices } | null}
 */
export function readChoices(text) {
  if (!text) return null;
  const [view, ...parts] = text.split(",");
  /** @type {Choices} */
  const choices = {};
  for (const part of parts) {
    const colon = part.indexOf(":");
    if (colon < 1) continue;
    try {
      choices[part.slice(0, colon)] = decodeURIComponent(part.slice(colon + 1));
    } catch {} // an incomplete escape sequence
  }
  return { view, choices };
}
