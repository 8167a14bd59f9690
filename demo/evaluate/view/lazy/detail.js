// @ts-check
// One segment in full: the outputs of all systems, why they are bad, and links that open them on the page.

import { isSecret, query } from "../../../links/scripts/links.js";
import { pictureImage, pictureSource } from "../../../widgets/pictures/pictures.js";
import { asData, make, makeFact } from "../../../widgets/view/dom.js";
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { Cell, Row, Rows, System } from "./browser.js" */

const MAX_TEXT = 3000; // characters in a link

/** @param {HTMLElement} root */
export function createDetail(root) {
  /** @type {Rows} */
  let report;
  /** @type {System[]} */
  let systems = [];

  /** The systems that a link can open: not those of the reader's own runs, whose names are secret. */
  const linkableSystems = () => systems.filter(({ checkpoint }) => !isSecret(checkpoint));

  /** @param {string} name */
  const labelOf = (name) => systems.find(({ checkpoint }) => checkpoint === name)?.label ?? "";

  /** @type {(title: string, search: string) => HTMLElement} */
  const linkTo = (title, search) =>
    Object.assign(make("a", "ev-open", title), { href: `?${search}`, target: "_blank", rel: "noopener" });

  /**
   * Links to Compare, which takes one checkpoint with many strategies, or two with one.
   * @param {Row} row
   * @returns {[title: string, query: string][]}
   */
  function compareQueries({ source, references }) {
    const names = [...new Set(linkableSystems().map(({ checkpoint }) => checkpoint))];
    const values = { text: source, reference: references[0] };
    if (names.length < linkableSystems().length)
      return names.map((checkpoint) => {
        const matching = linkableSystems().filter((system) => system.checkpoint === checkpoint);
        const strategies = matching.map(({ settings }) => linkSettings(settings));
        const title =
          names.length > 1 ? t("{system} in Compare", { system: labelOf(checkpoint) }) : t("Open in Compare");
        return [title, query("compare", { mode: "strategies", checkpoint, ...values, strategies })];
      });
    const [checkpoint, ...others] = names;
    return others.map((other) => {
      const pair = { mode: "checkpoints", checkpoint, other_checkpoint: other, ...values, ...systems[0].settings };
      const both = { a: labelOf(checkpoint), b: labelOf(other) };
      const title = others.length > 1 ? t("{a} and {b} in Compare", both) : t("Open in Compare");
      return [title, query("compare", pair)];
    });
  }

  /** The settings of a strategy that a link needs. @param {Record<string, any>} settings */
  const linkSettings = ({ strategy, ...settings }) => ({
    strategy,
    ...Object.fromEntries(
      [...new URLSearchParams(query("decode", settings))].filter(([name]) => Object.hasOwn(settings, name)),
    ),
  });

  /** @param {Row} row */
  function links(row) {
    const { source, references } = row;
    if (source.length > MAX_TEXT) return [];
    const anchors = linkableSystems().map(({ name, checkpoint, settings }) =>
      linkTo(
        systems.length > 1 ? t("{system} in Decode", { system: name }) : t("Open in Decode"),
        query("decode", { checkpoint, text: source, ...settings }),
      ),
    );
    anchors.unshift(...compareQueries(row).map(([title, search]) => linkTo(title, search)));
    for (const [index, { output }] of row.cells.entries()) {
      const lab = `bleu,output:${encodeURIComponent(output)},reference:${encodeURIComponent(references[0])}`;
      const title =
        report.names.length > 1 ? t("BLEU of {system}", { system: report.names[index] }) : t("BLEU of this output");
      if (output && lab.length < MAX_TEXT) anchors.push(linkTo(title, query("learn", { lab })));
    }
    return anchors;
  }

  /** @type {(cell: Cell, index: number) => HTMLElement} */
  function output(cell, index) {
    const score = make("span", "ev-number", `chrF ${numberText(cell.chrf, 1)}`);
    const title = make("h4", "", make("span", "", report.names[index]), score);
    const node = make("section", "ev-cell", title, make("p", "", makeDiff(cell.diff)));
    if (cell.cause) node.append(cause(cell));
    if (cell.log_prob !== undefined) node.append(facts(cell));
    return node;
  }

  /** @param {Cell} cell */
  function cause({ cause: name = "", evidence = "" }) {
    const { title, remedy } = report.causes[name];
    const texts = [make("p", "", evidence), make("p", "ev-remedy", remedy)];
    return make("div", "ev-why", make("strong", "", title), ...texts);
  }

  /** @param {Cell} cell */
  function facts({ log_prob = 0, score = 0, reference_score = 0, doubt = 0 }) {
    const list = make("dl");
    list.append(
      makeFact(t("log-probability"), t("{value} nats", { value: numberText(log_prob) })),
      makeFact(t("score"), numberText(score)),
      makeFact(t("score of the reference"), numberText(reference_score)),
      makeFact(t("cost per token"), t("{value} nats per token", { value: numberText(doubt) })),
    );
    return list;
  }

  /** @param {Row | null} row */
  function show(row) {
    root.hidden = !row;
    if (!row) return;
    const texts = make("dl", "ev-texts");
    texts.append(
      makeFact(t("source, line {line}", { line: row.line }), makeText(row.source)),
      ...row.references.map((text) => makeFact(t("reference"), makeText(text))),
      ...row.scores.map((value, index) => makeFact(report.scores[index], numberText(value))),
    );
    root.replaceChildren(texts, ...row.cells.map(output), make("p", "ev-links", ...links(row)));
  }

  /** @type {(rows: Rows, run: System[]) => void} */
  function begin(rows, run) {
    report = rows;
    systems = run;
  }

  return { begin, show };
}

// Texts of a test set, set by textContent, in their own direction, with differences marked.
const MARKS = /** @type {const} */ ({ s: "span", c: "mark", a: "ins", m: "del" });

/** @param {string} text a source may be a picture */
export function makeText(text) {
  const picture = pictureSource(text);
  if (picture) return pictureImage(picture, "ev-picture", t("a picture"));
  return asData(make("span", "ev-text", text));
}

/** The legend of the marks. */
export function makeLegend() {
  const node = make("p", "ev-legend ev-text", `${t("compared with the reference:")} `);
  const samples = /** @type {const} */ ([
    ["c", t("another word")],
    ["a", t("added")],
    ["m", t("missing")],
  ]);
  for (const [kind, text] of samples) node.append(make(MARKS[kind], "", text), " ");
  return node;
}

/** @param {[kind: "s" | "c" | "a" | "m", text: string][]} pieces changed, added and missing words beside the same */
export function makeDiff(pieces) {
  const node = asData(make("span", "ev-text"));
  for (const [index, [kind, text]] of pieces.entries()) {
    const word = text.trimStart();
    const isApart = index > 0 && (word !== text || [kind, pieces[index - 1][0]].includes("m"));
    if (isApart) node.append(" "); // beside a mark, not inside it, where it would look like a part of the word
    node.append(make(MARKS[kind], "", word));
  }
  if (!pieces.length) node.append(make("i", "", t("(empty)")));
  return node;
}
