// @ts-check
// A phone shows one card at a time: one list names the cards of all panes, in the place of their tabs.
import { find, make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

/**
 * @param {(name: string) => void} open receives the name of a card
 */
export function createViewList(open) {
  const list = /** @type {HTMLSelectElement} */ (make("select", "tv-views"));
  list.setAttribute("aria-label", t("What to look at"));
  list.addEventListener("change", () => open(list.value));
  let drawn = "";

  return {
    /**
     * @param {{ pane: HTMLElement, tabs: HTMLElement[] }[]} offered
     * @param {HTMLElement} openPane
     * @param {string} openCard
     */
    draw(offered, openPane, openCard) {
      const names = offered.flatMap(({ tabs }) => tabs.map(({ dataset }) => dataset.tab)).join();
      if (names !== drawn) list.replaceChildren(...offered.map(({ pane, tabs }) => group(pane, tabs)));
      drawn = names;
      list.value = openCard;
      const head = find(openPane, ".tv-pane-head");
      if (list.parentElement === head) return;
      const hasFocus = document.activeElement === list;
      head.prepend(list);
      if (hasFocus) list.focus(); // an element that moves loses it
    },
  };
}

/**
 * @param {HTMLElement} pane
 * @param {HTMLElement[]} tabs
 */
function group(pane, tabs) {
  const element = document.createElement("optgroup");
  element.label = pane.getAttribute("aria-label") ?? "";
  element.append(...tabs.map((tab) => new Option(tab.textContent ?? "", tab.dataset.tab)));
  return element;
}
