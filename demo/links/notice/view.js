// @ts-check
// Sentences above the page, each once: the parts of a link that could not be followed, or what just happened to a form.
// Lets the page's script request the values for a link when its tab is there.

import { waitFor } from "../../page/scripts/late_elements.js";
import { find, make } from "../../widgets/view/dom.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, _props, _watch, trigger) {
  Object.assign(find(element, ".link-notice"), {
    unrolled: {
      /** @param {object} [data] what the address does not contain */
      fill: (data) => trigger("fill", data),
      /** @param {object} data the step of a lesson */
      visit: (data) => trigger("visit", data),
    },
  });
}

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
