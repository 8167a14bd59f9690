// @ts-check
// Leaves parts of the page out, as a link or the reader asks (demo/views/hiding.py).
import { settings } from "./settings.js";

/** @param {string[]} names of parts; unknown ones mean nothing */
export function hide(names) {
  document.documentElement.dataset.hide = names.filter((name) => Object.hasOwn(settings().parts, name)).join(" ");
  document.dispatchEvent(new CustomEvent("unrolled:hide"));
}

/** The parts that are left out now. */
export const hidden = () => (document.documentElement.dataset.hide ?? "").split(" ").filter(Boolean);

/**
 * The parts that can be left out of a tab, each by its name and what it is called.
 * @param {string} tab
 * @returns {[string, string][]}
 */
export const partsOf = (tab) =>
  Object.entries(settings().parts)
    .filter(([, [, tabs]]) => tabs.includes(tab))
    .map(([name, [label]]) => [name, label]);

/**
 * Common choices of parts for a class on a tab: what each is called, and the parts that it leaves out.
 * @param {string} tab
 */
export const presetsOf = (tab) => settings().presets[tab] ?? [];
