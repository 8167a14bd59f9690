// @ts-check
// Finds the terms of the glossary in a text, the longest first. Knows no element.

/** @typedef {"anywhere" | "alone" | "nowhere"} Marked where on the page: see Marked in demo/glossary/term.py */
/** @typedef {[forms: string[], meaning: string, marked?: Marked]} Term its name, other forms of it, and its meaning */
/** @typedef {{ start: number, end: number, term: number }} Found places in a text, and which term stands there */

// Words of an alphabet have gaps between them; what stands beside a Chinese word or a sign says nothing.
const LETTER = "[\\p{Script=Latin}\\p{Script=Greek}\\p{N}]";
const EDGES = [new RegExp(`^${LETTER}`, "u"), new RegExp(`${LETTER}$`, "u")];

/** @param {string} form */
function pattern(form) {
  const plain = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  // A colon and no gap: the name of a value, as in the signature of a score, "norm:no".
  return `${EDGES[0].test(form) ? `(?<!${LETTER})` : ""}${plain}${EDGES[1].test(form) ? `(?!:?${LETTER})` : ""}`;
}

/**
 * @param {Term[]} terms
 * @returns {(text: string) => Found[]} the terms to be marked, from the first to the last
 */
export function createFinder(terms) {
  const known = new Map(
    terms.flatMap(([forms, , marked], term) =>
      marked === "nowhere" ? [] : forms.map((form) => /** @type {const} */ ([form.toLowerCase(), term])),
    ),
  );
  const longestFirst = [...known.keys()].sort((one, other) => other.length - one.length);
  const any = new RegExp(longestFirst.map(pattern).join("|"), "giu");
  return (text) => {
    if (!known.size) return [];
    const found = [...text.matchAll(any)].map(({ 0: form, index }) => {
      return { start: index, end: index + form.length, term: known.get(form.toLowerCase()) ?? 0 };
    });
    const length = text.trim().length;
    return found.filter(({ start, end, term }) => terms[term][2] !== "alone" || end - start === length);
  };
}

/**
 * What a reader's few letters may mean: terms that have them, those by name before those by meaning.
 * @param {Term[]} terms
 * @param {string} letters
 */
export function search(terms, letters) {
  const wanted = letters.trim().toLowerCase();
  /** @type {(term: Term) => boolean} */
  const named = ([forms]) => forms.some((form) => form.toLowerCase().includes(wanted));
  /** @type {(term: Term) => boolean} */
  const meant = ([, meaning]) => meaning.toLowerCase().includes(wanted);
  return [...terms.filter(named), ...terms.filter((term) => !named(term) && meant(term))];
}
