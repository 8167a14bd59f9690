// @ts-check
// A button that opens what belongs to it. A rail stays open, and is remembered; anything else closes at the next
// click outside of it.
import { find, setText } from "../shared/dom.js";
import { recall, remember } from "../shared/memory.js";
import { t } from "../shared/translate.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  const button = find(element, ".chip-button");
  const key = `unrolled-${props.rail}`;
  const opened = () =>
    /** @type {HTMLElement | null} */ (props.rail ? document.getElementById(props.rail) : element.closest(".chip"));

  /** @param {boolean} on */
  function open(on) {
    const target = opened();
    if (target) target.dataset.open = String(on);
    button.setAttribute("aria-expanded", String(on));
    if (on && target && !props.rail) keepInside(target);
  }

  const isOpen = () => button.getAttribute("aria-expanded") === "true";

  /**
   * What opens below the chip never leaves the page to the right.
   * @param {HTMLElement} target
   */
  function keepInside(target) {
    const body = find(target, ".chip-body");
    body.style.translate = "";
    const { right } = body.getBoundingClientRect();
    const over = right - document.documentElement.clientWidth + 8;
    if (over > 0) body.style.translate = `${-over}px`;
  }

  function draw() {
    setText(find(button, ".chip-called"), t(props.called));
    setText(find(button, ".chip-value"), props.value ?? "");
  }

  button.addEventListener("click", () => {
    open(!isOpen());
    if (props.rail) remember(key, isOpen());
  });
  if (props.rail) open(recall(key) === true);
  else {
    document.addEventListener("pointerdown", ({ target }) => {
      if (isOpen() && target instanceof Element && !opened()?.contains(target)) open(false);
    });
    opened()?.addEventListener("focusout", ({ relatedTarget }) => {
      if (isOpen() && relatedTarget instanceof Element && !opened()?.contains(relatedTarget)) open(false);
    });
    document.addEventListener("keydown", ({ key, target }) => {
      const here = target === document.body || (target instanceof Node && opened()?.contains(target));
      if (key !== "Escape" || !isOpen() || !here) return;
      open(false);
      button.focus();
    });
    opened()?.addEventListener("unrolled:close", () => open(false));
  }
  draw();
  watch("value", draw);
}
