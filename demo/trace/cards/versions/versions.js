// @ts-check
// The original and its edits, one below the other. They are stored in the browser, so that undo needs no server.

import { cellsText } from "../../../widgets/pictures/pictures.js";
import { asData, find, make, makeButton, setText } from "../../../widgets/view/dom.js";
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { editedStep } from "../../reading/trace.js";
import { wordStart, wordText } from "../../reading/words.js";

/** @import { Model } from "../../reading/trace.js" */

/**
 * @typedef {{ model: Model, parent: number | null, step: number, forced: number[] }} Version a trace, the index of the
 *   version that was edited, the step of the edit, and the steps whose tokens the reader chose
 */
/** @typedef {{ versions: Version[], chosen: number }} VersionHistory */
/** @typedef {ReturnType<typeof createVersions>} Versions */

/** @param {HTMLElement} root @param {(version: Version) => void} show */
export function createVersions(root, show) {
  const list = find(root, ".tv-versions");
  const undo = find(root, ".tv-undo", HTMLButtonElement);
  /** @type {Version[]} */
  let versions = [];
  let current = 0;

  /** @param {Model} model */
  const isEdit = (model) => model.payload.trace.forced.length + model.payload.trace.overrides.length > 0;

  /**
   * Receives a trace: an edit joins the original that it belongs to, anything else replaces all versions.
   * @type {(model: Model, forcedStep: number | null) => boolean} whether it joined
   */
  function arrive(model, forcedStep) {
    const step = forcedStep ?? wordStart(model, model.paths[0] ?? [], editedStep(model.payload.trace));
    const { checkpoint, source_text: source } = model.payload.trace;
    const original = versions[0]?.model.payload.trace;
    const joins = isEdit(model) && original?.checkpoint === checkpoint && original?.source_text === source;
    const forced = forcedSteps(model, joins ? versions[current] : undefined, step);
    const version = { model, parent: joins ? current : null, step, forced };
    versions = joins ? [...versions, version] : [version];
    current = versions.length - 1;
    draw();
    return joins;
  }

  /** @param {VersionHistory} history */
  function reopen(history) {
    versions = history.versions;
    current = history.chosen;
    draw();
    show(versions[current]);
  }

  /** @param {number | null} index */
  function choose(index) {
    if (index !== null && index !== current && versions[index]) reopen({ versions, chosen: index });
  }

  /** @param {Model} model */
  const best = (model) => model.hypotheses[0];

  /** @param {Version} version */
  function title({ model, parent, step }) {
    if (!isEdit(model)) return t("Original");
    const { forced, overrides } = model.payload.trace;
    const earlier = JSON.stringify(versions[parent ?? 0].model.payload.trace.overrides);
    const isNew = (/** @type {object} */ override) => !earlier.includes(JSON.stringify(override));
    const attended = overrides.find((override) => override.step >= forced.length && isNew(override));
    if (attended) {
      const { weights, step } = attended;
      const peak = weights.indexOf(Math.max(...weights));
      const target = model.picture
        ? cellsText(weights, model.picture.cells)
        : t("“{text}”", { text: model.label(model.source[peak].surface) });
      return t("attention at step {step} on {place}", { step: step + 1, place: target });
    }
    const pieces = model.paths[0]?.slice(step, forced.length).map((node) => model.label(node.token)) ?? [];
    const values = { token: wordText(pieces), step: step + 1, count: pieces.length };
    if (!pieces.length) return t("{count} forced tokens", { count: forced.length });
    return pieces.length === 1
      ? t("“{token}” at step {step}", values)
      : t("“{token}”, {count} tokens from step {step}", values);
  }

  /** The titles of the edits that led to the current version, the first one first. */
  function edits() {
    const titles = [];
    for (let index = /** @type {number | null} */ (current); index !== null; index = versions[index].parent)
      if (isEdit(versions[index].model)) titles.unshift(title(versions[index]));
    return titles;
  }

  /** @param {Model} model */
  const wordsOf = (model) => best(model)?.text.split(/(\s+)/) ?? [];

  /** @param {Model} model */
  function output(model) {
    const words = wordsOf(model);
    const same = commonWords(words, wordsOf(versions[0].model));
    const parts = words.map((word, index) => (same.has(index) || !word.trim() ? word : make("mark", "tv-new", word)));
    return asData(make("span", "tv-text", ...parts));
  }

  /** @type {(version: Version, index: number) => HTMLElement} */
  function line(version, index) {
    const button = makeButton("tv-version", () => choose(index));
    const [first, hypothesis] = [best(versions[0].model), best(version.model)];
    const difference = index && first && hypothesis ? hypothesis.log_prob - first.log_prob : null;
    const change = difference === null ? "" : `${difference > 0 ? "+" : ""}${numberText(difference)}`;
    button.append(
      setText(make("span", "tv-what"), title(version)),
      output(version.model),
      make("span", "tv-number", hypothesis ? numberText(hypothesis.log_prob) : ""),
      make("span", "tv-number tv-minor", change),
    );
    button.setAttribute("aria-pressed", String(index === current));
    return make("li", "", button);
  }

  function draw() {
    root.classList.toggle("tv-edited", versions.length > 1);
    list.replaceChildren(...versions.map(line));
    undo.disabled = versions[current].parent === null;
  }

  /**
   * The edits that a link can carry, those of tokens. `version` counts these edits; 0 is the original.
   * @param {number} most edits in a link
   */
  function linkable(most) {
    const traces = versions.map(({ model }) => model.payload.trace);
    const inLink = [...traces.keys()].filter((index) => index && !traces[index].overrides.length).slice(-most);
    return {
      forced: inLink.map((index) => traces[index].forced),
      version: inLink.indexOf(current) + 1,
      lost: versions.length - 1 - inLink.length,
      shown: current === 0 || inLink.includes(current),
    };
  }

  undo.addEventListener("click", () => choose(versions[current].parent));
  return {
    arrive,
    clear: () => {
      versions = [];
      root.classList.remove("tv-edited");
    },
    reopen,
    /** @returns {VersionHistory} */
    history: () => ({ versions, chosen: current }),
    /** The trace of the original. */
    original: () => versions[0].model,
    linkable,
    /** All edits and the chosen one, which the browser stores where a link cannot carry them. */
    stored: () => ({
      edits: versions.slice(1).map(({ model }) => {
        const { forced, overrides } = model.payload.trace;
        return { forced, overrides };
      }),
      version: current,
    }),
    edits,
    count: () => versions.length,
    /** The current version. */
    current: () => versions[current],
    choose,
  };
}

/**
 * The steps whose tokens the reader chose: those from the edit on, and before it those that differ from the edited
 * version. If that is unknown, all forced steps.
 * @type {(model: Model, parent: Version | undefined, step: number) => number[]}
 */
export function forcedSteps(model, parent, step) {
  const { forced, opening } = model.payload.trace;
  const before = parent?.model.hypotheses[0]?.token_ids;
  const isChosen = (/** @type {number} */ index) =>
    !parent || index >= step || forced[index] !== before?.[index] || parent.forced.includes(index);
  return [...forced.keys()].filter((index) => index >= opening && isChosen(index));
}

/** @type {(words: string[], others: string[]) => Set<number>} indices in `words` of a longest common subsequence */
export function commonWords(words, others) {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      lengths[i][j] =
        words[i] === others[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const common = /** @type {Set<number>} */ (new Set());
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) {
      common.add(i);
      i += 1;
      j += 1;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return common;
}
