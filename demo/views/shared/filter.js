// @ts-check
// What a reader types to find something in a list: all of its words, in any order, accents or not.

/** @param {string} text */
const folded = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

/**
 * What is looked through.
 * @param {(string | null | undefined)[]} texts
 */
export const wordsOf = (texts) => folded(texts.filter(Boolean).join(" "));

/**
 * @param {string} words as `wordsOf` gives them
 * @param {string} typed
 */
export const fits = (words, typed) =>
  folded(typed)
    .split(/\s+/)
    .every((word) => words.includes(word));
