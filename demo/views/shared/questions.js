// @ts-check
// Asks the server what a card or a lab shows: after a pause, and each question once.
import { t } from "./translate.js";

const PAUSE_MILLISECONDS = 150; // a reader who steps quickly asks about the last step alone
const KEPT = 60; // answers

/**
 * @template {{ refused?: string }} Answer
 * @param {HTMLElement} card has the class `tv-asking` while it waits
 * @param {((asked: any) => Promise<any>) | undefined} server nobody, in an exported page
 * @param {(answer: Answer) => void} show
 */
export function createQuestions(card, server, show) {
  /** @type {Map<string, Promise<Answer>>} */
  let answers = new Map(); // by question, of the trace on show
  let shownKey = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  /**
   * @param {object} asked
   * @param {number} [pause]
   */
  async function ask(asked, pause = PAUSE_MILLISECONDS) {
    clearTimeout(waiting);
    const key = JSON.stringify(asked);
    if (key === shownKey) return;
    shownKey = key;
    card.classList.add("tv-asking");
    if (!answers.has(key)) {
      if (answers.size >= KEPT) answers = new Map();
      await new Promise((done) => {
        waiting = setTimeout(done, pause);
      });
      if (key !== shownKey) return;
      answers.set(key, server ? server(asked) : refusal(t("Only the running page can say this.")));
    }
    const answer = await /** @type {Promise<Answer>} */ (answers.get(key)).catch(() =>
      refusal(t("The server did not answer. Try again.")),
    );
    if (answer.refused !== undefined) answers.delete(key); // whoever comes back to the step asks again
    if (key !== shownKey) return;
    if (answer.refused !== undefined) shownKey = "";
    card.classList.remove("tv-asking");
    show(answer);
  }

  /** @type {(sentence: string) => Promise<any>} */
  const refusal = (refused) => Promise.resolve({ refused });

  /** Another trace: what was said of the one before says nothing of it. */
  function forget() {
    answers = new Map();
    shownKey = "";
  }

  return { ask, forget };
}
