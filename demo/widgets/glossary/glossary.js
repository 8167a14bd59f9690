// @ts-check
// The glossary: explains the terms on the page, and lists them all behind a button.
import { createList } from "./list.js";
import { MARK, markTerms } from "./marks.js";
import { createFinder } from "./terms.js";
import { createTooltip } from "./tooltip.js";

/** @import { Term } from "./terms.js" */

const LATE_MILLISECONDS = 1500; // time after the page's start, when more important scripts are loaded

/**
 * @param {Element} root
 * @param {Term[]} terms
 */
export function explainTerms(root, terms) {
  const findTerms = createFinder(terms);
  createTooltip(terms, MARK, findTerms);
  markTerms(root, findTerms);
}

/** @param {Record<string, string>} addresses of the terms, by language */
export function startGlossary(addresses) {
  /** @type {Promise<Term[]> | undefined} */
  let loading;
  const load = () => {
    const address = addresses[document.documentElement.lang.split("-")[0]] ?? addresses.en;
    loading ??= fetch(new URL(address, document.baseURI)).then((answer) => answer.json());
    return loading;
  };
  createList(load);
  const explain = async () => explainTerms(document.body, await load());
  setTimeout(() => explain().catch(console.error), LATE_MILLISECONDS);
}
