// @ts-check
// Filters a list by what a reader types: all words must occur, in any order, with or without accents.

/** @param {string} text */
const fold = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

/**
 * The text that is searched.
 * @param {(string | null | undefined)[]} texts
 */
export const wordsOf = (texts) => fold(texts.filter(Boolean).join(" "));

/**
 * @param {string} words as returned by `wordsOf`
 * @param {string} typed
 */
export const fits = (words, typed) =>
  fold(typed)
    .split(/\s+/)
    .every((word) => words.includes(word));
