// @ts-check
// Sentences above the page, each once: the parts of a link that could not be followed, or what just happened to a form.

import { waitFor } from "../../page/scripts/late_elements.js";
import { find, make } from "../../widgets/view/dom.js";

/** @type {(sentences: string[], isOfLink: boolean) => Promise<void>} */
async function show(sentences, isOfLink) {
  const box = /** @type {HTMLElement} */ (await waitFor(".link-notice"));
  const list = find(box, "ul");
  find(box, "p").hidden = !isOfLink;
  if (box.dataset.ofLink !== String(isOfLink) || !isOfLink) list.replaceChildren();
  box.dataset.ofLink = String(isOfLink);
  const shownSentences = [...list.children].map((item) => item.textContent);
  list.append(
    ...sentences.filter((sentence) => !shownSentences.includes(sentence)).map((sentence) => make("li", "", sentence)),
  );
  box.hidden = !list.childElementCount;
}

/** @param {string[]} sentences */
export async function notice(sentences) {
  if (sentences.length) await show(sentences, true);
}

/**
 * Says what happened to a form, in place of the last such sentence; an empty one only removes that.
 * @param {string} sentence
 */
export async function announce(sentence) {
  const box = /** @type {HTMLElement | null} */ (document.querySelector(".link-notice"));
  if (sentence || box?.dataset.ofLink === "false") await show(sentence ? [sentence] : [], false);
}
