// @ts-check
// Chooses the sentence that a tab takes over from the other one: the reader's latest, once.

/** @typedef {{ checkpoint: string, text: string }} Sentence */

const PICTURE = "data:"; // the start of a source that is a picture

/** @type {(one: Sentence | undefined, other: Sentence) => boolean} */
const same = (one, other) => one?.checkpoint === other.checkpoint && one.text === other.text;

/** @param {string[]} tabs that have a sentence; other tabs neither give nor take one */
export function createSentences(tabs) {
  /** @type {Record<string, Sentence>} the sentence of each tab */
  const last = {};
  let newest = ""; // the tab of the latest sentence
  /** @type {Record<string, Sentence>} */
  const fromOther = {}; // sentences of other tabs; a slow result of one may follow the reader's next sentence
  const edited = new Set(); // tabs whose text has changed since

  return {
    /** @type {(tab: string, sentence: Sentence) => void} */
    used(tab, sentence) {
      last[tab] = sentence;
      if (edited.has(tab) || !same(fromOther[tab], sentence)) newest = tab;
      edited.delete(tab);
    },
    /** Notes the sentence that a tab shows again after a reload. @type {(tab: string, sentence: Sentence) => void} */
    restored(tab, { checkpoint, text }) {
      last[tab] = { checkpoint, text };
    },
    /** @type {(tab: string) => void} */
    write: (tab) => void edited.add(tab),
    /** The reader's latest sentence in any tab. */
    newest: () => (newest ? last[newest] : null),
    /** @type {(tab: string) => Sentence | null} the sentence for a tab that the reader opens */
    take(tab) {
      const sentence = last[newest];
      if (!tabs.includes(tab)) return null;
      if (!sentence || newest === tab || edited.has(tab)) return null;
      if (same(last[tab], sentence) || sentence.text.startsWith(PICTURE)) return null;
      last[tab] = sentence;
      fromOther[tab] = sentence;
      return sentence;
    },
  };
}
