// @ts-check
// Hides the parts of the page that a link or the reader chooses (demo/links/hiding.py).
import { settings } from "./settings.js";

/** @param {string[]} names of parts; unknown ones are ignored */
export function hide(names) {
  document.documentElement.dataset.hide = names.filter((name) => Object.hasOwn(settings().parts, name)).join(" ");
  document.dispatchEvent(new CustomEvent("unrolled:hide"));
}

/** The parts that are hidden now. */
export const hiddenParts = () => (document.documentElement.dataset.hide ?? "").split(" ").filter(Boolean);

/**
 * The parts of a tab that can be hidden, each with its name and its label.
 * @type {(tab: string) => [string, string][]}
 */
export const partsOf = (tab) =>
  Object.entries(settings().parts)
    .filter(([, [, tabs]]) => tabs.includes(tab))
    .map(([name, [label]]) => [name, label]);

/** Common choices of hidden parts on a tab, for a class: the label and the parts of each. @param {string} tab */
export const presetsOf = (tab) => settings().presets[tab] ?? [];
