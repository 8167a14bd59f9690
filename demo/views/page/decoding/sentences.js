// @ts-check
// Which sentence a tab takes over from the other one: that which the reader asked for last, once.

/** @typedef {{ checkpoint: string, text: string }} Sentence */

const PICTURE = "data:"; // a source that is no sentence

/** @type {(one: Sentence | undefined, other: Sentence) => boolean} */
const same = (one, other) => one?.checkpoint === other.checkpoint && one.text === other.text;

/** @param {string[]} tabs that have a sentence; what others open takes none along */
export function createSentences(tabs) {
  /** @type {Record<string, Sentence>} what each tab shows */
  const last = {};
  let newest = ""; // the tab that was asked last
  const written = new Set(); // tabs whose text was changed since, and not asked for

  return {
    /** @type {(tab: string, sentence: Sentence) => void} */
    asked(tab, sentence) {
      last[tab] = sentence;
      newest = tab;
      written.delete(tab);
    },
    /** @type {(tab: string) => void} */
    write: (tab) => void written.add(tab),
    /** What the reader asked last, wherever. */
    newest: () => (newest ? last[newest] : null),
    /** @type {(tab: string) => Sentence | null} for a tab that the reader opens */
    take(tab) {
      const sentence = last[newest];
      if (!tabs.includes(tab)) return null;
      if (!sentence || newest === tab || written.has(tab)) return null;
      if (same(last[tab], sentence) || sentence.text.startsWith(PICTURE)) return null;
      last[tab] = sentence;
      return sentence;
    },
  };
}
