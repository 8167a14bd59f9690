// @ts-check
// Finds the terms of the glossary in a text, the longest first.

/** @typedef {"anywhere" | "alone" | "nowhere"} Marked where on the page; see Marked in demo/widgets/glossary/terms.py */
/** @typedef {[forms: string[], meaning: string, marked?: Marked]} Term its name, other forms of it, and its meaning */
/** @typedef {{ start: number, end: number, term: number, name: string }} Match a range of a text, and its term */

// Words of an alphabet end at a character of another kind; a Chinese word or a sign may touch its neighbours.
const LETTER = "[\\p{Script=Latin}\\p{Script=Greek}\\p{N}]";
const EDGES = [new RegExp(`^${LETTER}`, "u"), new RegExp(`${LETTER}$`, "u")];

/** @param {string} form */
function pattern(form) {
  const plain = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  // A word before a colon without a space is not a term but the name of a value, as in a score's signature, "norm:no".
  return `${EDGES[0].test(form) ? `(?<!${LETTER})` : ""}${plain}${EDGES[1].test(form) ? `(?!:?${LETTER})` : ""}`;
}

// A Chinese term may also be a part of a longer word, in which it means something else.
const CHINESE = /\p{Script=Han}/u;
const words = "Segmenter" in Intl ? new Intl.Segmenter("zh", { granularity: "word" }) : null;

/** @param {string} text @returns {Set<number> | null} where words begin and end; null if spaces show it */
function edgesOfWords(text) {
  if (!words || !CHINESE.test(text)) return null;
  return new Set([...words.segment(text)].flatMap(({ index, segment }) => [index, index + segment.length]));
}

/**
 * @param {Term[]} terms
 * @returns {(text: string) => Match[]} the terms to mark, from the first to the last
 */
export function createFinder(terms) {
  const termOf = new Map(
    terms.flatMap(([forms, , marked], term) =>
      marked === "nowhere" ? [] : forms.map((form) => /** @type {const} */ ([form.toLowerCase(), term])),
    ),
  );
  const longestFirst = [...termOf.keys()].sort((one, other) => other.length - one.length);
  const any = new RegExp(longestFirst.map(pattern).join("|"), "giu");
  return (text) => {
    if (!termOf.size) return [];
    const matches = [...text.matchAll(any)].map(({ 0: form, index }) => {
      const term = termOf.get(form.toLowerCase()) ?? 0;
      return { start: index, end: index + form.length, term, name: terms[term][0][0] };
    });
    const length = text.trim().length;
    const edges = edgesOfWords(text);
    return matches.filter(
      ({ start, end, term }) =>
        (terms[term][2] !== "alone" || end - start === length) && (!edges || (edges.has(start) && edges.has(end))),
    );
  };
}

/**
 * The terms that contain the letters: those with them in the name before those with them in the meaning.
 * @param {Term[]} terms
 * @param {string} letters
 */
export function search(terms, letters) {
  const query = letters.trim().toLowerCase();
  /** @type {(term: Term) => boolean} */
  const matchesName = ([forms]) => forms.some((form) => form.toLowerCase().includes(query));
  /** @type {(term: Term) => boolean} */
  const matchesMeaning = ([, meaning]) => meaning.toLowerCase().includes(query);
  return [...terms.filter(matchesName), ...terms.filter((term) => !matchesName(term) && matchesMeaning(term))];
}
