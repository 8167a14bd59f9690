// @ts-check
// The panes side by side: each has tabs, and can be made wider or fill the screen. The browser stores the choices.
import { shareOfLarge } from "../../widgets/charts/figures.js";
import { stopAt } from "../../widgets/menus/roving.js";
import { find } from "../../widgets/view/dom.js";
import { recall, remember } from "../../widgets/view/memory.js";
import { clamp } from "../../widgets/view/numbers.js";
import { createPaneMenu, createViewList } from "./pane_head.js";
import { revealEnd } from "./visibility.js";

const KEY = "unrolled-panes";
const MIN_PANE_PIXELS = 380; // pixels of a pane's height
const MAX_PANE_PIXELS = 1100;
const MARGIN_PIXELS = 8; // below the panes; what follows begins below the screen
const FULL_SCREEN_SCALE = 2.2; // scale of what fills a large screen
const INSPECT = "inspect"; // the pane that replaces the others
const PROJECTOR = "projector"; // the document has this mark if an address asks that a view fills the screen
const AROUND_FRAME_PIXELS = 210; // pixels of the screen that a browser and the page around a frame need

const isFramed = () => window.parent !== window;

/**
 * The height that is visible at once. A frame may be as tall as its content, so that the window's height says nothing;
 * there the screen's is used.
 */
const screenHeight = () => (isFramed() ? Math.max(480, screen.availHeight - AROUND_FRAME_PIXELS) : window.innerHeight);

/** @param {HTMLElement} root */
export function createPanes(root) {
  const box = find(root, ".tv-panes");
  const panes = /** @type {HTMLElement[]} */ ([...box.children]);
  const switches = /** @type {HTMLElement[]} */ ([...find(root, ".tv-switch").children]);
  /** @type {{ open: Record<string, string>, wide: string, shown: string }} */
  const memory = { open: {}, wide: "", shown: "left", ...recall(KEY) };
  let filling = ""; // the pane that fills the screen
  /** @type {Set<HTMLElement>} */
  let leftOut = new Set(); // tabs that a link hides, or that have nothing to show yet
  let readFor = ""; // the state for which `leftOut` was read
  let ticket = 0; // animation frame in which the room is measured

  /** @param {HTMLElement} pane */
  const nameOf = (pane) => /** @type {string} */ (pane.dataset.pane);
  /** @param {HTMLElement} pane */
  const tabsOf = (pane) => /** @type {HTMLElement[]} */ ([...find(pane, ".tv-tabs").children]);
  /** @param {HTMLElement} tab */
  const cardOf = (tab) => find(root, `[data-card="${tab.dataset.tab}"]`);
  /** @param {HTMLElement} pane */
  const selectedOf = (pane) => tabsOf(pane).find((tab) => tab.ariaSelected === "true");
  const menus = new Map(panes.map((pane) => [pane, createPaneMenu(pane, callbacksOf(nameOf(pane)))]));
  const viewList = createViewList(open);

  /** @param {string} name of a pane */
  function callbacksOf(name) {
    return {
      onWider: () => keep({ wide: memory.wide === name ? "" : name }),
      onFill: () => fill(filling === name ? "" : name),
    };
  }

  // Read once for a link, and once for the first edit, which adds a tab: after each answer it would force a layout,
  // since container queries decide on styles.
  function readLeftOut() {
    const edited = root.classList.contains("tv-edited");
    const asks = `${root.isConnected} ${edited} ${document.documentElement.dataset.hide ?? ""}`;
    if (asks === readFor) return;
    readFor = asks;
    const tabs = panes.flatMap(tabsOf);
    for (const tab of tabs) tab.hidden = false;
    leftOut = new Set(tabs.filter((tab) => getComputedStyle(tab).display === "none"));
  }

  /** @param {HTMLElement} tab */
  const isOffered = (tab) => !tab.hidden && !leftOut.has(tab);

  /** @param {HTMLElement} pane */
  function drawPane(pane) {
    const tabs = tabsOf(pane);
    const isOpen = (/** @type {HTMLElement} */ tab) => tab.dataset.tab === memory.open[nameOf(pane)];
    for (const tab of tabs) tab.hidden = cardOf(tab).hidden || (tab.dataset.forLessons !== undefined && !isOpen(tab));
    const offered = tabs.filter(isOffered);
    const openTab = offered.find(isOpen) ?? offered[0];
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === openTab);
      cardOf(tab).classList.toggle("tv-open", tab === openTab);
    }
    stopAt(tabs, openTab ?? null);
    pane.hidden = !openTab;
    pane.dataset.open = openTab?.dataset.tab ?? "";
    const [isWide, isFilling] = [memory.wide === nameOf(pane), filling === nameOf(pane)];
    pane.classList.toggle("tv-wide", isWide);
    pane.classList.toggle("tv-alone", isFilling);
    menus.get(pane)?.draw({ card: openTab && cardOf(openTab), isWide, isFilling });
  }

  function draw() {
    readLeftOut();
    for (const pane of panes) drawPane(pane);
    const offered = panes.filter((pane) => !pane.hidden);
    const shownPane = offered.find((pane) => nameOf(pane) === memory.shown) ?? offered[0];
    if (!filling && shownPane && isAsked()) {
      filling = nameOf(shownPane);
      drawPane(shownPane);
    }
    for (const [index, pane] of panes.entries()) {
      pane.classList.toggle("tv-shown", pane === shownPane);
      switches[index].hidden = pane.hidden;
      switches[index].ariaPressed = String(pane === shownPane);
    }
    if (shownPane) {
      const groups = offered.map((pane) => ({ pane, tabs: tabsOf(pane).filter(isOffered) }));
      viewList.draw(groups, shownPane, selectedOf(shownPane)?.dataset.tab ?? "");
    }
    cover();
    root.classList.toggle("tv-inspecting", shownPane !== undefined && nameOf(shownPane) === INSPECT);
    measure();
  }

  // The address asks once, for the first view with a trace.
  const isAsked = () =>
    PROJECTOR in document.documentElement.dataset &&
    root.classList.contains("tv-filled") &&
    root.checkVisibility() &&
    !document.querySelector(".tv-filling");

  // A class, since `:has()` in the style sheet would make the browser search the view at every step.
  /** @param {Event} event */
  function markUnfolded({ target }) {
    if (!(target instanceof HTMLDetailsElement)) return;
    const chart = target.closest(".tv-scroll ~ .tv-within");
    if (chart && target.parentElement === chart) chart.parentElement?.classList.toggle("tv-unfolded", target.open);
  }
  root.addEventListener("toggle", markUnfolded, true);

  // Covers the page, whose layout stays: the parent of the view keeps its height.
  function cover() {
    const holder = /** @type {HTMLElement} */ (root.parentElement);
    const was = root.classList.contains("tv-filling");
    if (Boolean(filling) === was) return;
    if (filling) holder.style.minHeight = `${Math.max(root.offsetHeight, isFramed() ? screenHeight() : 0)}px`;
    root.classList.toggle("tv-filling", Boolean(filling));
    root.popover = filling ? "manual" : null;
    if (filling) root.showPopover();
    else holder.style.minHeight = "";
    if (isFramed()) root.scrollIntoView({ block: "start" });
  }

  // Measures once, in the next frame, when the change is laid out.
  function measure() {
    cancelAnimationFrame(ticket);
    ticket = requestAnimationFrame(() => {
      if (!box.getClientRects().length) return;
      const height = screenHeight();
      const top = box.getBoundingClientRect().top;
      const above = top + window.scrollY < 0.6 * height ? top + window.scrollY : top - root.getBoundingClientRect().top;
      const room = Math.round(clamp(height - above - MARGIN_PIXELS, MIN_PANE_PIXELS, MAX_PANE_PIXELS));
      if (!filling) root.style.setProperty("--tv-room", `${room}px`);
      root.style.setProperty("--tv-screen", `${height}px`);
      root.style.setProperty("--tv-scale", String(Math.max(1, FULL_SCREEN_SCALE * shareOfLarge())));
    });
  }

  /** @param {Partial<typeof memory>} choice */
  function keep(choice) {
    Object.assign(memory, choice);
    if (filling) filling = choice.shown ?? filling;
    remember(KEY, memory);
    draw();
  }

  /** @param {string} name of a card, which may stand at the end of another */
  function open(name) {
    const card = /** @type {HTMLElement | null} */ (root.querySelector(`.tv-pane [data-card="${name}"]`));
    const pane = /** @type {HTMLElement | null | undefined} */ (card?.closest(".tv-pane"));
    const tab = pane && tabsOf(pane).find((candidate) => card && cardOf(candidate).contains(card));
    if (!card || !pane || !tab) return;
    memory.open[nameOf(pane)] = tab.dataset.tab ?? "";
    keep({ shown: nameOf(pane) });
    card.querySelector(":scope > details")?.setAttribute("open", "");
    revealEnd(find(pane, ".tv-pane-body"), card === cardOf(tab) ? null : card);
  }

  /** The open tabs that are not the first of their pane. Links describe the views of Inspect in another parameter. */
  function openTabs() {
    const others = panes.filter((pane) => !pane.hidden && nameOf(pane) !== INSPECT);
    return others.flatMap((pane) => {
      const selected = selectedOf(pane);
      return selected && selected !== tabsOf(pane).find(isOffered) ? [selected.dataset.tab ?? ""] : [];
    });
  }

  /** @param {string} name of a pane, or nothing */
  function fill(name) {
    filling = name;
    if (name) memory.shown = name;
    document.dispatchEvent(new CustomEvent("unrolled:projector", { detail: Boolean(name) }));
    draw();
  }

  /** @param {HTMLElement} pane @param {KeyboardEvent} event */
  function onKey(pane, event) {
    const tabs = tabsOf(pane).filter(isOffered);
    const current = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    const next = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (current < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere these keys step through the output
    const tab = tabs[(next + tabs.length) % tabs.length];
    open(/** @type {string} */ (tab.dataset.tab));
    tab.focus();
  }

  for (const pane of panes) {
    for (const tab of tabsOf(pane)) tab.addEventListener("click", () => open(tab.dataset.tab ?? ""));
    find(pane, ".tv-tabs").addEventListener("keydown", (event) => onKey(pane, event));
  }
  for (const [index, button] of switches.entries())
    button.addEventListener("click", () => keep({ shown: nameOf(panes[index]) }));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !filling || event.defaultPrevented) return;
    if (document.querySelector('.mn-button[aria-expanded="true"]')) return; // this Escape closes the menu
    const pane = panes.find((candidate) => nameOf(candidate) === filling);
    fill("");
    if (pane) find(pane, ".mn-button").focus();
  });
  document.addEventListener("unrolled:hide", draw);
  window.addEventListener("resize", measure);
  new ResizeObserver(measure).observe(root); // its tab may be opened, or its bands may grow

  draw();
  return { draw, open, openTabs };
}
