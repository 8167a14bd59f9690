// @ts-check
// Lists the parts of a link that could not be followed, each sentence once.

import { waitFor } from "../page/late_elements.js";
import { find, make } from "../shared/dom.js";

/** @param {string[]} sentences */
export async function notice(sentences) {
  if (!sentences.length) return;
  const box = /** @type {HTMLElement} */ (await waitFor(".link-notice"));
  const list = find(box, "ul");
  const shownSentences = [...list.children].map((item) => item.textContent);
  list.append(
    ...sentences.filter((sentence) => !shownSentences.includes(sentence)).map((sentence) => make("li", "", sentence)),
  );
  box.hidden = false;
}
