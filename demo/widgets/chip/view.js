// @ts-check
// A button that opens an element. A rail stays open, also on the next visit; anything else closes at a click outside.

import { createPopover } from "../menus/menu.js";
import { find, setText } from "../view/dom.js";
import { recall, remember } from "../view/memory.js";
import { t } from "../view/translate.js";

/** @import { Mount } from "../view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  const button = find(element, ".chip-button");
  const key = `unrolled-${props.rail}`;
  const holder = () =>
    /** @type {HTMLElement | null} */ (props.rail ? document.getElementById(props.rail) : element.closest(".chip"));
  const { open, isOpen } = createPopover(button, { holder, show, stays: Boolean(props.rail) });

  /** @param {boolean} on */
  function show(on) {
    const target = holder();
    if (target) target.dataset.open = String(on);
    if (props.rail) remember(key, on);
    else if (on && target) keepInside(target);
  }

  /**
   * Keeps the opened element from leaving the page on the right.
   * @param {HTMLElement} target
   */
  function keepInside(target) {
    const body = find(target, ".chip-body");
    body.style.translate = "";
    const { right } = body.getBoundingClientRect();
    const overflow = right - document.documentElement.clientWidth + 8;
    if (overflow > 0) body.style.translate = `${-overflow}px`;
  }

  function draw() {
    setText(find(button, ".chip-called"), t(props.called));
    setText(find(button, ".chip-value"), props.value ?? "");
    find(button, ".chip-value").title = props.value ?? ""; // a long one is cut
  }

  button.addEventListener("click", () => open(!isOpen()));
  if (props.rail) open(recall(key) === true);
  else
    holder()?.addEventListener("unrolled:close", () => {
      if (holder()?.contains(document.activeElement)) button.focus();
      open(false);
    });
  draw();
  watch("value", draw);
}
