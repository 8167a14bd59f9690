// @ts-check
// Where the dock stands: beside the page, or on a small screen below the source, at the top of any other tab.

const NARROW = "(max-width: 999px)";

/** @param {HTMLElement} root */
export function placeDock(root) {
  const home = /** @type {HTMLElement} */ (document.querySelector("#lesson .html-container, #lesson"));
  const tab = document.querySelector("#tabs > .tabitem:not([style*='none'])");
  const isNarrow = matchMedia(NARROW).matches;
  if (!isNarrow || !tab) {
    if (root.parentElement !== home) home.append(root);
    return;
  }
  const source = tab.querySelector("#command-area");
  const place = source ?? tab.firstElementChild;
  if (!place) return;
  if (source && root.previousElementSibling !== source) source.after(root);
  else if (!source && place.firstElementChild !== root) place.prepend(root);
}

matchMedia(NARROW).addEventListener("change", () => {
  const root = /** @type {HTMLElement | null} */ (document.querySelector("aside.lesson"));
  if (root && !root.hidden) placeDock(root);
});
