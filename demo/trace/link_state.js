// @ts-check
// Writes the view of the result for a link, and applies it again: counts begin at 1, as on the page. The edits of a
// link are requested one after the other, then the rest of its view is applied.
import { t } from "../widgets/view/translate.js";

/** @import { Card, Edits, Selection, Wanted } from "./trace_card.js" */
/** @import { Versions } from "./cards/versions/versions.js" */
/** @typedef {ReturnType<typeof import("./panes/panes.js").createPanes>} Panes */

const MAX_LINKED_EDITS = 6; // edits in a link: MAX_EDITS of demo/links

/**
 * @param {HTMLElement} root
 * @param {Selection} selection
 * @param {{ versions: Versions, edits: Edits, cards: Card[], panes: Panes, showFaults: (faults: string[]) => void,
 *   onRestored: () => void }} view
 */
export function createLinkState(root, selection, { versions, edits, cards, panes, showFaults, onRestored }) {
  const { state } = selection;
  /** @type {{ values: Record<string, any>, edits: { forced: number[], overrides: object[] }[] } | null} */
  let pending = null; // the view that a link asks for, and its edits that are still to be requested

  function read() {
    if (!state.model || !state.path.length) return { values: {}, words: [] };
    /** @type {Record<string, any>} */
    const values = {};
    const { forced, version, lost, shown } = versions.linkable(MAX_LINKED_EDITS);
    const words = lost
      ? [
          t("A link carries at most {most} edits, none of attention; left out: {lost}. This browser stores them.", {
            most: MAX_LINKED_EDITS,
            lost,
          }),
        ]
      : [];
    if (forced.length) Object.assign(values, { forced, version });
    if (lost) values.stored = versions.stored(); // is in no link, but in the entry of the browser's history
    if (!shown) return { values, words: [...words, t("It opens on the original.")] };
    if (state.hypothesis > 0) values.hypothesis = state.hypothesis + 1;
    if (state.hypothesis < 0) values.node = state.path[state.path.length - 1].id;
    // A link to a path's end opens there; any other link opens at the edit.
    if (state.hypothesis < 0 || state.step !== versions.current().step) values.step = state.step + 1;
    Object.assign(values, ...cards.map((card) => card.read?.()));
    const openCards = panes.openTabs();
    if (openCards.length) values.open = openCards.join(",");
    return { values, words };
  }

  /** @type {(values: Record<string, any>, fresh?: boolean) => void} fresh: they are for the next trace to arrive */
  function restore(values, fresh = false) {
    const prefixes = (values.forced ?? []).filter((/** @type {number[]} */ prefix) => prefix.length);
    const linked = prefixes.map((/** @type {number[]} */ forced) => ({ forced, overrides: [] }));
    pending = { values: { ...values, version: values.stored?.version ?? values.version }, edits: linked };
    if (values.stored) pending.edits = [...values.stored.edits];
    if (!fresh && state.model) onArrival();
  }

  function onArrival() {
    const next = pending?.edits.shift();
    if (next && edits.editable) edits.replay(next);
    else finish();
  }

  /** Applies the rest of the view; also if an edit was refused, after which the others cannot be applied. */
  function finish() {
    if (!pending) return;
    const { values } = pending;
    pending = null;
    /** @type {string[]} */
    const faults = [];
    /** @type {(name: string, most: number) => number | null} */
    const valueUpTo = (name, most) => {
      const value = values[name];
      if (value === undefined) return null;
      if (value <= most) return value - 1;
      faults.push(t("The link asks for {name} {value}, but the last one is {most}.", { name, value, most }));
      return null;
    };
    if (valueUpTo("version", versions.count() - 1) !== null) versions.choose(values.version);
    for (const card of cards) card.restore?.({ values, faults, valueUpTo });
    choosePath({ values, faults, valueUpTo });
    for (const name of values.open?.split(",") ?? []) panes.open(name);
    if (values.inspect) panes.open(values.inspect.split(",")[0]);
    root.dataset.restored = "true";
    showFaults(faults);
    onRestored();
  }

  /** @param {Wanted} wanted */
  function choosePath({ values, faults, valueUpTo }) {
    const hypothesis = valueUpTo("hypothesis", state.model.hypotheses.length);
    if (hypothesis !== null) selection.chooseHypothesis(hypothesis);
    if (values.node !== undefined && !state.model.nodes.has(values.node))
      faults.push(t("node {node} of the link is not in this search.", { node: values.node }));
    else if (values.node !== undefined) selection.chooseEnd(values.node);
    const step = valueUpTo("step", state.path.length);
    if (step !== null) selection.goTo(step);
  }

  return { read, restore, onArrival, onRefusal: finish, isRestoring: () => pending !== null };
}
