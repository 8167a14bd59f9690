// @ts-check
// Writes links to what the page shows.
import { recall, remember } from "../../widgets/view/memory.js";
import { t } from "../../widgets/view/translate.js";
import { encode, queryText, strict } from "./query.js";
import { hiddenParts, settings } from "./settings.js";

/** @typedef {Record<string, any>} Values by the names of a link's parameters */

/** @type {Record<string, string>} The view of each tab's result */
const RESULTS = {
  decode: "#trace .trace-view",
  compare: "#comparison .compare",
  evaluate: "#evaluation .evaluation",
};
const LONG_FIELDS = "unrolled-long-fields"; // fields of a long form that are too long for its address, by name
const GATHER_MILLISECONDS = 1000; // time in which the controls of a tab must answer

/** @type {Record<string, Values>} */
const gathered = {}; // the values of the controls, by tab
/** @type {Record<string, string>} */
let publicTitles = {}; // names in words of the checkpoints that everybody can open

/** @param {Record<string, string>} titles */
export function setPublicTitles(titles) {
  publicTitles = titles;
}

/** A checkpoint's name in words; its label if only this reader can open it. @type {(name: string, label: string) => string} */
export const titleOf = (name, label) => publicTitles[name] ?? label;

/** @type {(tab: string, names: string[], values: any[]) => void} */
export function gather(tab, names, values) {
  gathered[tab] = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  document.dispatchEvent(new CustomEvent("unrolled:gathered", { detail: tab }));
}

const isReload = performance.getEntriesByType("navigation")[0]?.toJSON().type !== "navigate";
/** @type {Values} */
const leftFields = (isReload && recall(LONG_FIELDS, "sessionStorage")) || {}; // until each is filled in again

/**
 * The fields of a long form that differ from the initial ones, as one parameter: `task:copy,network.layers:2`. Left out
 * are the name of a training run, which is a secret, and what is too long, which this tab of the browser stores.
 * @type {(names: string[], initial: any[], values: any[]) => string}
 */
export function changedFields(names, initial, values) {
  const text = (/** @type {any} */ value) => String(value ?? "");
  const isLong = (/** @type {string} */ value) => encode(value).length > settings().mostPasted;
  const changed = names
    .map((name, index) => [name, text(values[index]), text(initial[index])])
    .filter(([, value, before]) => value !== before && !isSecret(value));
  remember(LONG_FIELDS, Object.fromEntries(changed.filter(([, value]) => isLong(value))), "sessionStorage");
  return changed
    .filter(([, value]) => !isLong(value))
    .map(([name, value]) => `${name}:${strict(value)}`)
    .join(",");
}

/**
 * The value for a field after a reload that its address could not carry, once; else an update that changes nothing.
 * @param {string} name
 */
export function leftField(name) {
  const value = leftFields[name];
  delete leftFields[name];
  return { __type__: "update", ...(value !== undefined && { value }) };
}

/** The latest values of a tab's controls; undefined before their first change. */
export const formOf = (/** @type {string} */ tab) => /** @type {Values | undefined} */ (gathered[tab]);

/** @type {(tab: string, values: Values, parts?: string[]) => string} */
export const query = (tab, values, parts = []) => queryText(settings(), tab, values, parts);

/**
 * The values of a comparison's form that its mode needs; the strategy of a pair is given by its settings.
 * @type {(form: Values) => Values}
 */
function compareValues({ mode, checkpoint, other_checkpoint, text, other_text, reference, strategies, strategy }) {
  if (mode === "strategies") return { mode, checkpoint, text, reference, strategies };
  const other = mode === "checkpoints" ? { other_checkpoint } : { other_text };
  return { mode, checkpoint, text, ...other, ...strategy?.[0] };
}

/** Whether the name is that of a training run, by which others could watch and stop the run. @param {string} name */
export function isSecret(name) {
  const base = name.replace(/@.*$/, ""); // the name without a variant or 8-bit weights
  return new RegExp(`^(?:${settings().runName})$`).test(base) && !Object.hasOwn(publicTitles, base);
}

/** Removes the values that a link cannot carry. @param {Values} values @returns {string[]} what to tell the reader */
export function withoutLost(values) {
  const words = [];
  for (const name of ["checkpoint", "other_checkpoint"]) {
    if (!values[name] || !isSecret(values[name])) continue;
    delete values[name];
    words.push(t("A checkpoint of your own training is not in the link: its name would let others stop the run."));
  }
  for (const name of ["text", "other_text"]) {
    if (!values[name]?.startsWith("data:") || values[name].length <= settings().mostPicture) continue;
    delete values[name];
    words.push(t("The picture is too large for a link: send it along."));
  }
  if (values.pasted && encode(values.pasted).length > settings().mostPasted) {
    delete values.pasted;
    words.push(t("The lines are too long for a link: send them along. This browser stores them."));
  }
  return words;
}

/** The values of a tab's controls and of its result, and what a link to them cannot carry. @param {string} tab */
function contents(tab) {
  const values = tab === "compare" ? compareValues(gathered.compare) : { ...gathered[tab] };
  const words = withoutLost(values);
  const lost = words.length > 0;
  /** @type {any} */
  const view = RESULTS[tab] && document.querySelector(RESULTS[tab]);
  if (["true", "file"].includes(view?.dataset.stale))
    words.push(t("The link has the values of the form, not those of this result."));
  else {
    const state = view?.unrolled?.read(values);
    Object.assign(values, state?.values);
    /** @type {any} */
    const openTrace = document.querySelector("#compare-trace .trace-view");
    if (tab === "compare" && values.opened) Object.assign(values, openTrace?.unrolled?.read().values);
    words.push(...(state?.words ?? []));
  }
  return { values, lost, words: [...new Set(words)] };
}

/** @type {(tab: string, parts: string[]) => { href: string, lost: boolean, words: string[] }} */
export function link(tab, parts) {
  const { values, lost, words } = contents(tab);
  const url = new URL(window.location.href);
  url.search = query(tab, values, parts);
  url.hash = "";
  return { href: url.href, lost, words };
}

/** A link to a tab in its current state, when its controls have answered; null if they do not. @param {string} tab */
export async function freshLink(tab) {
  const isThere = await new Promise((resolve) => {
    const heard = new AbortController();
    const end = (/** @type {boolean} */ value) => {
      heard.abort();
      resolve(value);
    };
    const onGathered = (/** @type {any} */ event) => event.detail === tab && end(true); // other tabs have their own call
    document.addEventListener("unrolled:gathered", onGathered, { signal: heard.signal });
    setTimeout(end, GATHER_MILLISECONDS, false);
    document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: tab }));
  });
  return isThere ? link(tab, hiddenParts()) : null;
}
