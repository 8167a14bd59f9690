// @ts-check
// What the server has told of a trace goes along in a downloaded page, which asks nobody. Knows no element.

/** @import { AnswersByName } from "../../shared/answers/questions.js" */

/**
 * Of several cards together, as JSON that may stand in a page.
 * @param {AnswersByName[]} parts
 */
export function toldText(parts) {
  /** @type {AnswersByName} */
  const all = {};
  for (const part of parts)
    for (const [name, answers] of Object.entries(part))
      if (Object.keys(answers).length) all[name] = { ...all[name], ...answers };
  return JSON.stringify(all).replaceAll("<", "\\u003c");
}

/**
 * Answers as the server would, with what was taken along.
 * @param {string} text as `toldText` makes it
 * @returns {Record<string, (asked: object) => Promise<object> | undefined>}
 */
export function answering(text) {
  /** @type {AnswersByName} */
  const all = JSON.parse(text);
  return Object.fromEntries(
    Object.entries(all).map(([name, answers]) => [
      name,
      (asked) => {
        const found = answers[JSON.stringify(asked)];
        return found && Promise.resolve(found);
      },
    ]),
  );
}
