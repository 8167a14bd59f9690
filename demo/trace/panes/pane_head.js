// @ts-check
// The head of a pane: its menu has the rarely used parts of the open card, and the size of the pane. A phone shows one
// card at a time: there a list names the cards of all panes, in the place of their tabs.

import { createMenu } from "../../widgets/menus/menu.js";
import { find, make, makeButton } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";

/** @typedef {{ pane: HTMLElement, tabs: HTMLElement[] }} Offered tabs of a pane */

/** @param {HTMLElement} pane @param {{ onWider: () => void, onFill: () => void }} callbacks */
export function createPaneMenu(pane, { onWider, onFill }) {
  const called = pane.getAttribute("aria-label") ?? "";
  const menu = createMenu(t("More for {pane}", { pane: called }));
  const wider = entry("tv-wider", t("Make {pane} wider", { pane: called }), onWider);
  const fill = entry("tv-fill", t("Fill the screen with {pane}", { pane: called }), onFill);
  const leave = entry("tv-leave", t("Leave the full screen"), onFill);
  // The cards have made these parts and keep their references; `data-more` names the owner of each part.
  // A band across the view names the pane whose menu it uses, whatever card is open there.
  const bandSelector = `.tv-more[data-menu="${pane.dataset.pane}"]`;
  const bands = pane.closest(".trace-view")?.querySelectorAll(bandSelector) ?? [];
  const parts = /** @type {HTMLElement[]} */ ([...bands, ...pane.querySelectorAll(".tv-more")]);
  for (const part of parts) part.dataset.more = cardOf(part).dataset.card;
  const owners = new Map(parts.map((part) => [part, cardOf(part)]));
  menu.panel.append(...parts, wider, fill);
  find(pane, ".tv-pane-head").append(leave, menu.element);

  /** @type {(className: string, text: string, onClick: () => void) => HTMLButtonElement} */
  function entry(className, text, onClick) {
    const press = () => {
      menu.close();
      onClick();
      (leave.hidden ? menu.button : leave).focus({ preventScroll: true });
    };
    return makeButton(className, press, make("span", "", text));
  }

  return {
    /** @param {{ card: HTMLElement | undefined, isWide: boolean, isFilling: boolean }} state */
    draw({ card, isWide, isFilling }) {
      for (const [part, owner] of owners)
        part.hidden = owner.hidden || (pane.contains(owner) && !card?.contains(owner));
      wider.ariaPressed = String(isWide);
      for (const button of [wider, fill]) button.hidden = isFilling;
      leave.hidden = !isFilling;
    },
  };
}

/** @param {HTMLElement} part */
const cardOf = (part) => /** @type {HTMLElement} */ (part.closest("[data-card]"));

/** @param {(name: string) => void} open receives the name of a card */
export function createViewList(open) {
  const list = make("select", "tv-views");
  list.ariaLabel = t("What to look at");
  list.addEventListener("change", () => open(list.value));
  let drawn = "";

  return {
    /** @type {(offered: Offered[], openPane: HTMLElement, openCard: string) => void} */
    draw(offered, openPane, openCard) {
      const names = offered.flatMap(({ tabs }) => tabs.map(({ dataset }) => dataset.tab)).join();
      if (names !== drawn) list.replaceChildren(...offered.map(group));
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

/** @param {Offered} offered */
function group({ pane, tabs }) {
  const options = tabs.map((tab) => new Option(tab.textContent ?? "", tab.dataset.tab));
  return Object.assign(make("optgroup", "", ...options), { label: pane.getAttribute("aria-label") ?? "" });
}
