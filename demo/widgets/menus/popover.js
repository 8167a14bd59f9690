// @ts-check
// A button that opens an element. The button and Escape close it again, and so do a click or the focus elsewhere unless
// it stays open.

/**
 * @param {HTMLElement} button
 * @param {object} opened
 * @param {() => HTMLElement | null} opened.holder the element; looked up each time, since it may be created later
 * @param {(on: boolean) => void} opened.show
 * @param {boolean} [opened.stays] whether a click or the focus elsewhere leaves it open
 */
export function createPopover(button, { holder, show, stays = false }) {
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  /** @param {EventTarget | null} target */
  const isInside = (target) => target instanceof Node && Boolean(button.contains(target) || holder()?.contains(target));

  /** @param {boolean} on */
  function open(on) {
    button.setAttribute("aria-expanded", String(on));
    show(on);
  }

  /** @param {EventTarget | null} target */
  function leave(target) {
    if (!stays && isOpen() && target instanceof Element && !isInside(target)) open(false);
  }

  document.addEventListener("pointerdown", ({ target }) => leave(target));
  document.addEventListener("focusin", ({ target }) => leave(target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isOpen()) return;
    if (event.target !== document.body && !isInside(event.target)) return;
    event.preventDefault(); // one Escape closes one thing
    open(false);
    button.focus();
  });
  return { isOpen, open };
}
