// @ts-check
// Asks the server for the content of a card or a lab: after a pause, and each question once. Writes the reader's choices
// in a view of Inspect or a lab as text, for links.
import { t } from "../view/translate.js";

/** @typedef {Record<string, (question: object) => Promise<any> | undefined>} Server functions by name */
/** @typedef {Record<string, Record<string, object>>} AnswersByName by function, then by the question as JSON */

const PAUSE_MILLISECONDS = 150; // a reader who steps quickly causes one question only
const MAX_ANSWERS = 60;
const MAX_EXPORTED = 20; // answers in an exported page

/**
 * @template {{ refused?: string, training?: object }} Answer with `training`, it is valid for a moment only
 * @param {HTMLElement} card has the class `tv-asking` while it waits
 * @param {Server} server may lack the function in an exported page
 * @param {string} name of the server function
 * @param {(answer: Answer) => void} show
 */
export function createQuestions(card, server, name, show) {
  /** @type {Map<string, Promise<Answer>>} */
  let answers = new Map(); // answers by question, for the current trace
  let shownKey = "";
  /** @type {Map<string, Answer>} */
  const answered = new Map(); // the answers that were shown for this trace, the latest last
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  /**
   * @param {object} question
   * @param {number} [pause]
   * @param {boolean} [again] whether to ignore an earlier answer
   */
  async function ask(question, pause = PAUSE_MILLISECONDS, again = false) {
    const key = JSON.stringify(question);
    if (key === shownKey && !again) return;
    clearTimeout(waiting);
    shownKey = key;
    if (again) answers.delete(key);
    else card.classList.add("tv-asking");
    if (!answers.has(key)) {
      if (answers.size >= MAX_ANSWERS) answers = new Map();
      await new Promise((done) => {
        waiting = setTimeout(done, pause);
      });
      if (key !== shownKey) return;
      answers.set(key, server[name]?.(question) ?? refusal(t("Only the running page can compute this.")));
    }
    const answer = await /** @type {Promise<Answer>} */ (answers.get(key)).catch(() =>
      refusal(t("The server did not answer. Try again.")),
    );
    if (answer.refused !== undefined || answer.training) answers.delete(key); // it is asked again next time
    if (key !== shownKey) return;
    if (answer.refused !== undefined) shownKey = "";
    else {
      answered.delete(key);
      answered.set(key, answer);
    }
    card.classList.remove("tv-asking");
    show(answer);
  }

  /** @type {(sentence: string) => Promise<any>} */
  const refusal = (refused) => Promise.resolve({ refused });

  /** Forgets all answers when the trace changes. */
  function forget() {
    answers = new Map();
    answered.clear();
    shownKey = "";
  }

  /** The latest answers, for an exported page. @returns {AnswersByName} */
  const recent = () => ({ [name]: Object.fromEntries([...answered].slice(-MAX_EXPORTED)) });

  return { ask, forget, recent };
}

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
