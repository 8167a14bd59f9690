// @ts-check
// The link to the current tab. A link to a comparison is computed later, and requested once for each comparison.
import { resultQuery } from "../../../links/scripts/address.js";
import { freshLink, link } from "../../../links/scripts/links.js";

let compared = ""; // the query of the current comparison; empty until its controls have answered
let comparison = ""; // the number of the comparison for which it was requested

function comparedQuery() {
  const ready = /** @type {HTMLElement | null} */ (document.querySelector("#comparison .compare"))?.dataset.ready;
  if (ready && ready !== comparison) {
    comparison = ready;
    compared = "";
    freshLink("compare").then((fresh) => {
      compared = fresh ? new URL(fresh.href).search : "";
    });
  }
  return compared;
}

/**
 * The query of a link to what a tab shows; empty while it is not known.
 * @param {string} tab
 */
export const shownQuery = (tab) =>
  ({ decode: resultQuery, compare: comparedQuery })[tab]?.() ?? new URL(link(tab, []).href).search;
