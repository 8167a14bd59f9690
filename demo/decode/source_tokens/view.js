// @ts-check
// Chips for the source tokens. One tab stop: arrow keys move among them.

import { rove } from "../../widgets/menus/roving.js";
import { asData, findAll, makeButton } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  const [box, chips, message] = findAll(element, ".st", ".st-chips", ".st-note");
  const [count, detailLine] = findAll(element, ".st-count", ".st-detail");

  function detail(token) {
    const length = token.end - token.start;
    const range = { first: token.start + 1, last: token.end, at: token.end };
    const position = length > 1 ? t("characters {first}–{last}", range) : t("character {at}", range);
    const unknown = token.unknown ? ` · ${t("not in the vocabulary")}` : "";
    return `id ${token.id} · ${length ? position : t("end of the text")}${unknown}`;
  }

  function chip(token, index) {
    const node = asData(makeButton(token.unknown ? "st-chip st-unknown" : "st-chip", () => {}, token.text));
    node.tabIndex = index === 0 ? 0 : -1;
    node.dataset.detail = detail(token);
    node.setAttribute("aria-label", `${t("token {at}", { at: index + 1 })}: ${token.text}, ${detail(token)}`);
    return node;
  }

  function draw() {
    const { tokens = [], unknown = [], note = "" } = props.value || {};
    const focusedIndex = [...chips.children].indexOf(/** @type {Element} */ (document.activeElement));
    const newChips = tokens.map(chip);
    chips.replaceChildren(...newChips);
    const several = tokens.length ? t("{count} tokens", { count: tokens.length }) : "";
    count.textContent = tokens.length === 1 ? t("1 token") : several;
    detailLine.textContent = "";
    message.translate = !unknown.length;
    const lacking = { words: unknown.join(" "), unknown: "<unk>" };
    message.textContent = unknown.length
      ? t("Not in the vocabulary: {words} – the model reads {unknown} there.", lacking)
      : note || (tokens.length ? "" : t("The tokens of your text appear here."));
    box.dataset.state = unknown.length || note ? "warning" : tokens.length ? "tokens" : "empty";
    if (focusedIndex >= 0) newChips[Math.min(focusedIndex, newChips.length - 1)]?.focus(); // tokens may arrive after the reader's focus
    element.dataset.ready = String(Number(element.dataset.ready || 0) + 1);
  }

  rove(chips, (chip) => {
    detailLine.textContent = chip?.dataset.detail ?? "";
  });

  draw();
  watch("value", draw);
}
