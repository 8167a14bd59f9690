// @ts-check
// Links: written from what the page shows.
import { t } from "../../shared/translate.js";
import { hidden } from "./hide.js";
import { writtenQuery } from "./query.js";
import { settings } from "./settings.js";

/** @typedef {Record<string, any>} Values by the names of a link's parameters */

/** @type {Record<string, string>} */
const RESULTS = {
  decode: "#trace .trace-view",
  compare: "#comparison .compare",
  evaluate: "#evaluation .evaluation",
}; // by tab, what it shows
const GATHER_MILLISECONDS = 1000; // until the controls of a tab have said what they hold

/** @type {Record<string, Values>} */
const gathered = {}; // by tab: what its controls say
/** @type {string[]} */
let publicNames = []; // checkpoints that everybody can open, whatever they are called

/** @param {string[]} names */
export function setPublicNames(names) {
  publicNames = names;
}

/** @type {(tab: string, names: string[], values: any[]) => void} */
export function gather(tab, names, values) {
  gathered[tab] = Object.fromEntries(names.map((name, at) => [name, values[at]]));
  document.dispatchEvent(new CustomEvent("unrolled:gathered", { detail: tab }));
}

/** What the controls of a tab said last; nothing before their first change. */
export const formOf = (/** @type {string} */ tab) => /** @type {Values | undefined} */ (gathered[tab]);

/** @type {(tab: string, values: Values, parts?: string[]) => string} */
export const query = (tab, values, parts = []) => writtenQuery(settings(), tab, values, parts);

/**
 * Of the form of a comparison only what its mode asks for; the one strategy of a pair by its settings.
 * @param {Values} form
 * @returns {Values}
 */
function compared({ mode, checkpoint, other_checkpoint, text, other_text, reference, strategies, strategy }) {
  if (mode === "strategies") return { mode, checkpoint, text, reference, strategies };
  const other = mode === "checkpoints" ? { other_checkpoint } : { other_text };
  return { mode, checkpoint, text, ...other, ...strategy?.[0] };
}

/**
 * Whether a checkpoint is that of a training run: who knows its name could watch and stop the run.
 * @param {string} name
 */
export function isSecret(name) {
  const base = name.replace(/@.*$/, ""); // its variants, and its weights of 8 bits, are no other one
  return new RegExp(`^(?:${settings().runName})$`).test(base) && !publicNames.includes(base);
}

/**
 * Takes out what a link cannot carry.
 * @param {Values} values
 * @returns {string[]} what to say of it
 */
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
  return words;
}

/**
 * What a tab's controls and its result say together, and what a link cannot carry.
 * @param {string} tab
 */
function contents(tab) {
  const values = tab === "compare" ? compared(gathered.compare) : { ...gathered[tab] };
  const words = withoutLost(values);
  let lost = words.length > 0;
  /** @type {any} */
  const view = RESULTS[tab] && document.querySelector(RESULTS[tab]);
  if (["true", "file"].includes(view?.dataset.stale))
    words.push(t("The link asks for what the form says, not for this result."));
  else {
    const shown = view?.unrolled?.read(values);
    Object.assign(values, shown?.values);
    /** @type {any} */
    const opened = document.querySelector("#compare-trace .trace-view");
    if (tab === "compare" && values.opened) Object.assign(values, opened?.unrolled?.read().values);
    words.push(...(shown?.words ?? []));
    lost ||= Boolean(shown?.words.length);
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

/**
 * A link to a tab as it stands, once its controls have said what they hold; null if they do not.
 * @param {string} tab
 */
export async function freshLink(tab) {
  const isThere = await new Promise((resolve) => {
    const heard = new AbortController();
    const end = (/** @type {boolean} */ value) => {
      heard.abort();
      resolve(value);
    };
    const onGathered = (/** @type {any} */ event) => event.detail === tab && end(true); // other tabs say theirs too
    document.addEventListener("unrolled:gathered", onGathered, { signal: heard.signal });
    setTimeout(end, GATHER_MILLISECONDS, false);
    document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: tab }));
  });
  return isThere ? link(tab, hidden()) : null;
}
