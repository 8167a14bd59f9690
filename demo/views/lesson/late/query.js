// @ts-check
// What a link to the tab on show would say: a comparison tells it late, and is asked once.
import { resultQuery } from "../../page/links/address.js";
import { freshLink, link } from "../../page/links/links.js";

let compared = ""; // what a link to the comparison on show says; empty until its controls have told
let comparison = ""; // the count of comparisons for which they were asked

function comparedQuery() {
  const ready = /** @type {HTMLElement | null} */ (document.querySelector("#comparison .compare"))?.dataset.ready;
  if (ready && ready !== comparison) {
    comparison = ready;
    compared = "";
    freshLink("compare").then((found) => {
      compared = found ? new URL(found.href).search : "";
    });
  }
  return compared;
}

/**
 * The query of a link to what a tab shows; empty while nobody knows.
 * @param {string} tab
 */
export const shownQuery = (tab) =>
  ({ decode: resultQuery, compare: comparedQuery })[tab]?.() ?? new URL(link(tab, []).href).search;
