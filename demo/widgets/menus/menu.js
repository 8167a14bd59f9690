// @ts-check
// The menu behind three dots, for what is needed rarely: the arrow keys move among its entries, Escape
// closes it.
import { make, makeButton } from "../view/dom.js";

const ENTRIES = "button, input, select, textarea, a[href]";

/** @param {string} called the accessible name of the menu, which says what it belongs to */
export function createMenu(called) {
  const [element, panel] = [make("span", "mn"), make("div", "mn-panel")];
  const button = makeButton("mn-button", (event) => {
    popover.open(panel.hidden);
    if (event.detail === 0) focusEntry(0); // pressed by a key
  });
  const popover = createPopover(button, {
    holder: () => element,
    show(on) {
      panel.hidden = !on;
    },
  });
  panel.hidden = true;
  panel.setAttribute("role", "dialog");
  button.textContent = "⋯";
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  element.append(button, panel);
  name(called);

  /** @param {string} text */
  function name(text) {
    for (const part of [button, panel]) part.setAttribute("aria-label", text);
    button.title = text;
  }

  const entries = () =>
    /** @type {HTMLElement[]} */ ([...panel.querySelectorAll(ENTRIES)]).filter(
      (entry) => entry.getClientRects().length,
    );

  /** @param {number} index counted from the end if it is negative */
  function focusEntry(index) {
    if (!panel.hidden) entries().at(index)?.focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key === "Escape") return; // the popover handles it
    event.stopPropagation(); // the keys have another meaning around the menu
    const all = entries();
    const target = /** @type {HTMLElement} */ (event.target);
    const index = all.indexOf(target);
    const next = { ArrowDown: (index + 1) % all.length, ArrowUp: index < 0 ? -1 : index - 1, Home: 0, End: -1 }[
      event.key
    ];
    const inText = target.matches("input:not([type=checkbox]), textarea");
    if (next === undefined || (inText && ["Home", "End"].includes(event.key)) || target.matches("select")) return;
    event.preventDefault();
    if (panel.hidden) popover.open(true);
    focusEntry(next);
  }
  element.addEventListener("keydown", onKey);

  return { element, button, panel, name, close: () => popover.open(false) };
}

/**
 * Closes the menu that contains an entry and moves the focus back to its button.
 * @param {HTMLElement} entry
 */
export function leaveMenu(entry) {
  const button = /** @type {HTMLElement | null | undefined} */ (entry.closest(".mn")?.querySelector(".mn-button"));
  if (button?.getAttribute("aria-expanded") === "true") button.click();
  button?.focus();
}

/**
 * A button that opens an element. The button and Escape close it again, and so do a click or the focus elsewhere unless
 * it stays open.
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
