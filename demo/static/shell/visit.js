// @ts-check
// Opens the address of the visit: its checkpoint, text and settings in the form, and its view of the result.
import { t } from "../../widgets/view/translate.js";

/** @import { Place } from "./lessons.js" */
/** @import { Texts } from "./start.js" */
/** @typedef {Record<string, any>} Values */
/**
 * @typedef {{ form: Values, view: Values, faults: string[], trace?: string }} LinkValues the values of an address, its
 * faults, and the file of its trace if there is one
 */
/**
 * @typedef {object} Tab
 * @property {Record<string, number>} controls ids of the widgets, by the names of a link's parameters
 * @property {(linked: LinkValues) => Promise<Values>} visit fills in the form; returns how the page opens the tab
 */
/** @typedef {Record<string, Tab>} Tabs by their names in an address */
/** @typedef {ReturnType<typeof import("./lessons.js").createLessons>} Lessons */

const COMMON_PARAMETERS = ["tab", "hide"];
const FOREIGN_PARAMETER = /^(__\w*|run|view|logs|deep_link|vscode\w*|utm_\w+|fbclid|gclid|ref|source)$/;
const FLAGS = ["words", "pruned", "cells"];
const TEXTS = ["open", "until", "inspect", "rank_by", "sort", "lab"]; // parameters of the view whose values are texts
const DEFAULT_TAB = "decode"; // the tab of an address without one

/** @type {(text: string) => number[][]} */
const edits = (text) => text.split("~").map((edit) => edit.split(",").filter(Boolean).map(Number));

/** @type {(text: string, defaults: Values) => Values[]} */
const strategies = (text, defaults) =>
  text.split("~").map((item) => {
    const [strategy, ...settings] = item.split(",");
    const pairs = settings.map((setting) => {
      const [name, value = ""] = setting.split(":").map(decodeURIComponent);
      return [name, typeof defaults[name] === "number" || name === "max_length" ? Number(value) : value];
    });
    return { strategy, ...Object.fromEntries(pairs) };
  });

/** @type {(name: string, text: string, defaults: Values) => any} */
function formValue(name, text, defaults) {
  if (name === "strategies") return strategies(text, defaults);
  return typeof defaults[name] === "number" || name === "max_length" ? Number(text) : text;
}

/** @type {(name: string, text: string) => any} */
function viewValue(name, text) {
  if (name === "forced") return edits(text);
  if (FLAGS.includes(name)) return text === "true";
  return TEXTS.includes(name) ? text : Number(text);
}

/** @type {(address: URL, tab: string, controls: Tab["controls"], texts: Texts) => LinkValues} */
function readAddress(address, tab, controls, { config, checkpoints }) {
  /** @type {Values} */
  const form = {};
  /** @type {Values} */
  const view = {};
  /** @type {string[]} */
  const faults = [];
  for (const [name, text] of address.searchParams) {
    if (FOREIGN_PARAMETER.test(name) || COMMON_PARAMETERS.includes(name)) continue;
    if (!config.parameters[tab].includes(name))
      faults.push(t("A link has no parameter {name}.", { name: name.slice(0, 40) }));
    else if (/checkpoint$/.test(name) && !Object.hasOwn(checkpoints, text))
      faults.push(t("This page does not have the checkpoint {name}.", { name: text.slice(0, 40) }));
    else if (name in controls) form[name] = formValue(name, text, config.defaults);
    else view[name] = viewValue(name, text);
    const value = form[name] ?? view[name];
    if (!Number.isNaN(value)) continue;
    faults.push(t("{name} must be a number; got {value}", { name, value: text.slice(0, 40) }));
    delete form[name];
    delete view[name];
  }
  return { form, view, faults };
}

/** @param {string} tab */
function showTab(tab) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#tabs [data-tab-id="${tab}"]`))?.click();
}

/**
 * Shows a tab, fills in its form, and opens the page's link, with its faults and those that the tab adds.
 * @type {(texts: Texts, tabs: Tabs, tab: string, linked: LinkValues, lesson?: Place) => Promise<void>}
 */
async function openTab(texts, tabs, tab, linked, lesson) {
  showTab(tab); // before the engine, which may take seconds to load
  const opened = await tabs[tab].visit(linked);
  const titles = Object.fromEntries(Object.entries(texts.checkpoints).map(([name, { title }]) => [name, title]));
  await globalThis.unrolled.open({ tab, titles, faults: linked.faults, lesson, ...opened });
}

/** @type {(texts: Texts, tabs: Tabs, lessons: Lessons, address: URL) => Promise<void>} */
export async function visit(texts, tabs, lessons, address) {
  const { lesson, at, faults, trace } = await lessons.stateAt(address);
  const name = at.searchParams.get("tab") ?? DEFAULT_TAB;
  const tab = Object.hasOwn(tabs, name) ? name : DEFAULT_TAB;
  const linked = readAddress(at, tab, tabs[tab].controls, texts);
  if (tab !== name) linked.faults.unshift(t("This page does not have the tab {name}.", { name: name.slice(0, 40) }));
  if (tab !== DEFAULT_TAB) await tabs[DEFAULT_TAB].visit({ form: {}, view: {}, faults: [] });
  linked.faults.unshift(...faults);
  await openTab(texts, tabs, tab, { ...linked, trace }, lesson);
}

/**
 * Opens the step of a lesson on a page that is open. Settings that the step does not name go back to their defaults.
 * @type {(texts: Texts, tabs: Tabs, lessons: Lessons, step: Place) => Promise<void>}
 */
export async function visitStep(texts, tabs, lessons, { lesson: id, step }) {
  const address = new URL(`?lesson=${encodeURIComponent(id)}&step=${step}`, document.baseURI);
  const { lesson, at, faults, trace } = await lessons.stateAt(address);
  const tab = at.searchParams.get("tab") ?? DEFAULT_TAB;
  const { form, view } = readAddress(at, tab, tabs[tab].controls, texts);
  const linked = { form: { ...texts.config.defaults, ...form }, view, faults, trace };
  await openTab(texts, tabs, tab, linked, lesson);
}
