// @ts-check
// Says what a link asked for in vain, each sentence once.

import { there } from "../page/there.js";
import { find, make } from "../shared/dom.js";

/** @param {string[]} sentences */
export async function notice(sentences) {
  if (!sentences.length) return;
  const box = /** @type {HTMLElement} */ (await there(".link-notice"));
  const list = find(box, "ul");
  const known = [...list.children].map((item) => item.textContent);
  list.append(...sentences.filter((sentence) => !known.includes(sentence)).map((sentence) => make("li", "", sentence)));
  box.hidden = false;
}
