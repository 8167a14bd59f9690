// @ts-check
// The server's answers in an exported page, which has no server.

/** @import { AnswersByName } from "../../widgets/answers/questions.js" */

/**
 * The answers of several cards as JSON that may stand in a page.
 * @param {AnswersByName[]} parts
 */
export function answersText(parts) {
  /** @type {AnswersByName} */
  const all = {};
  for (const part of parts)
    for (const [name, answers] of Object.entries(part))
      if (Object.keys(answers).length) all[name] = { ...all[name], ...answers };
  return scriptText(all);
}

/**
 * JSON that may stand in a script element.
 * @param {object} content
 */
export const scriptText = (content) => JSON.stringify(content).replaceAll("<", "\\u003c");

/**
 * Server functions that return the stored answers.
 * @param {string} text as written by `answersText`
 * @returns {Record<string, (question: object) => Promise<object> | undefined>}
 */
export function answering(text) {
  /** @type {AnswersByName} */
  const all = JSON.parse(text);
  /** @type {(answers: Record<string, object>) => (question: object) => Promise<object> | undefined} */
  const answerFrom = (answers) => (question) => {
    const answer = answers[JSON.stringify(question)];
    return answer && Promise.resolve(answer);
  };
  return Object.fromEntries(Object.entries(all).map(([name, answers]) => [name, answerFrom(answers)]));
}
