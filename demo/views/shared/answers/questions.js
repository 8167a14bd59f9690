// @ts-check
// Asks the server what a card or a lab shows: after a pause, and each question once.
import { t } from "../translate.js";

/** @typedef {Record<string, (asked: object) => Promise<any> | undefined>} Server by the names of who answers */
/** @typedef {Record<string, Record<string, object>>} Told by who answers, then by the question as JSON */

const PAUSE_MILLISECONDS = 150; // a reader who steps quickly asks about the last step alone
const KEPT = 60; // answers
const TAKEN_ALONG = 20; // answers, into a page of its own

/**
 * @template {{ refused?: string, training?: object }} Answer what is told of a training is true for a moment
 * @param {HTMLElement} card has the class `tv-asking` while it waits
 * @param {Server} server that may have nobody of the name, in a page of its own
 * @param {string} name of who answers
 * @param {(answer: Answer) => void} show
 */
export function createQuestions(card, server, name, show) {
  /** @type {Map<string, Promise<Answer>>} */
  let answers = new Map(); // by question, of the trace on show
  let shownKey = "";
  /** @type {Map<string, Answer>} */
  const told = new Map(); // what was shown of this trace, the latest last
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  /**
   * @param {object} asked
   * @param {number} [pause]
   * @param {boolean} [again] whatever was answered before
   */
  async function ask(asked, pause = PAUSE_MILLISECONDS, again = false) {
    const key = JSON.stringify(asked);
    if (key === shownKey && !again) return;
    clearTimeout(waiting);
    shownKey = key;
    if (again) answers.delete(key);
    else card.classList.add("tv-asking");
    if (!answers.has(key)) {
      if (answers.size >= KEPT) answers = new Map();
      await new Promise((done) => {
        waiting = setTimeout(done, pause);
      });
      if (key !== shownKey) return;
      answers.set(key, server[name]?.(asked) ?? refusal(t("Only the running page can say this.")));
    }
    const answer = await /** @type {Promise<Answer>} */ (answers.get(key)).catch(() =>
      refusal(t("The server did not answer. Try again.")),
    );
    if (answer.refused !== undefined || answer.training) answers.delete(key); // whoever comes back asks again
    if (key !== shownKey) return;
    if (answer.refused !== undefined) shownKey = "";
    else {
      told.delete(key);
      told.set(key, answer);
    }
    card.classList.remove("tv-asking");
    show(answer);
  }

  /** @type {(sentence: string) => Promise<any>} */
  const refusal = (refused) => Promise.resolve({ refused });

  /** Another trace: what was said of the one before says nothing of it. */
  function forget() {
    answers = new Map();
    told.clear();
    shownKey = "";
  }

  /** The latest answers, for a page that nobody answers. @returns {Told} */
  const kept = () => ({ [name]: Object.fromEntries([...told].slice(-TAKEN_ALONG)) });

  return { ask, forget, kept };
}
