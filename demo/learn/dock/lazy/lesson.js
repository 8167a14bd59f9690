// @ts-check
// The form of a lesson as the server sends it.

/** @import { Prediction } from "./predictions/predictions.js" */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} text
 * @property {boolean} opens whether it opens a state of the page
 * @property {string} state the query of the state that it describes
 * @property {string} done the condition that the reader has to fulfil
 * @property {boolean} asks whether the server computes its text or its options
 * @property {{ name: string, selectors: string, label: string }} [part]
 * @property {string} [veil] selectors of parts that would give the answer away
 * @property {Prediction} [prediction]
 */
/**
 * @typedef {object} Lesson
 * @property {string} id
 * @property {string} title
 * @property {number} minutes
 * @property {string} reading
 * @property {string} other_senses the terms of the glossary that have another sense here, separated by |
 * @property {Step[]} steps
 * @property {any} [kit] goal, misconception, homework, before, recall; none for questions
 */

/** Whether a lesson asks for a prediction. @param {Lesson | null} lesson */
export const hasPredictions = (lesson) => Boolean(lesson?.steps.some(({ prediction }) => prediction));
