// @ts-check
// One segment in full: what each system made of it, why that is bad, and links that open it on the page.
import { isSecret, query } from "../../page/links/links.js";
import { make, makeFact } from "../../shared/dom.js";
import { numberText } from "../../shared/numbers.js";
import { t } from "../../shared/translate.js";
import { createBehind } from "./behind.js";
import { makeDiff, makeText } from "./texts.js";

/** @import { Cell, Row, Rows, System } from "./browser.js" */

const MOST_TEXT = 3000; // characters of what a link carries

/**
 * @param {HTMLElement} place
 * @param {any} server
 * @param {(asked: object) => void} retrain
 */
export function createDetail(place, server, retrain) {
  /** @type {Rows} */
  let given;
  /** @type {System[]} */
  let systems = [];
  let key = ""; // of the evaluation, if training pairs can be left out
  const behind = createBehind(server, retrain);

  /** No link opens a checkpoint of the reader's own runs, whose name is a secret. */
  const linked = () => systems.filter(({ checkpoint }) => !isSecret(checkpoint));

  /** @param {string} name */
  const labelOf = (name) => systems.find(({ checkpoint }) => checkpoint === name)?.label ?? "";

  /** @type {(title: string, query: string) => HTMLElement} */
  const linkTo = (title, asked) =>
    Object.assign(make("a", "ev-open", title), { href: `?${asked}`, target: "_blank", rel: "noopener" });

  /**
   * Compare takes one checkpoint by many strategies, or two by one.
   * @param {Row} row
   * @returns {[title: string, query: string][]}
   */
  function compared({ source, references }) {
    const names = [...new Set(linked().map(({ checkpoint }) => checkpoint))];
    const values = { text: source, reference: references[0] };
    if (names.length < linked().length)
      return names.map((checkpoint) => {
        const own = linked().filter((system) => system.checkpoint === checkpoint);
        const strategies = own.map(({ settings }) => changed(settings));
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

  /** Of a strategy's settings those that say something. @param {Record<string, any>} settings */
  const changed = ({ strategy, ...settings }) => ({
    strategy,
    ...Object.fromEntries(
      [...new URLSearchParams(query("decode", settings))].filter(([name]) => Object.hasOwn(settings, name)),
    ),
  });

  /** @param {Row} row */
  function links(row) {
    const { source, references } = row;
    if (source.length > MOST_TEXT) return [];
    const found = linked().map(({ name, checkpoint, settings }) =>
      linkTo(
        systems.length > 1 ? t("{system} in Decode", { system: name }) : t("Open in Decode"),
        query("decode", { checkpoint, text: source, ...settings }),
      ),
    );
    found.unshift(...compared(row).map(([title, asked]) => linkTo(title, asked)));
    for (const [at, { output }] of row.cells.entries()) {
      const lab = `bleu,output:${encodeURIComponent(output)},reference:${encodeURIComponent(references[0])}`;
      const title =
        given.names.length > 1 ? t("BLEU of {system}", { system: given.names[at] }) : t("BLEU of this output");
      if (output && lab.length < MOST_TEXT) found.push(linkTo(title, query("learn", { lab })));
    }
    return found;
  }

  /** @type {(cell: Cell, at: number) => HTMLElement} */
  function output(cell, at) {
    const node = make("section", "ev-cell");
    const title = make("h4");
    title.append(make("span", "", given.names[at]), make("span", "ev-number", `chrF ${numberText(cell.chrf, 1)}`));
    const text = make("p");
    text.append(makeDiff(cell.diff));
    node.append(title, text);
    if (cell.cause) node.append(cause(cell));
    if (cell.log_prob !== undefined) node.append(facts(cell));
    return node;
  }

  /** @param {Cell} cell */
  function cause({ cause: name = "", evidence = "" }) {
    const { title, knob } = given.causes[name];
    const node = make("div", "ev-why");
    node.append(make("strong", "", title), make("p", "", evidence), make("p", "ev-knob", knob));
    return node;
  }

  /** @param {Cell} cell */
  function facts({ log_prob = 0, score = 0, reference_score = 0, doubt = 0 }) {
    const list = make("dl");
    list.append(
      makeFact(t("log-probability"), t("{value} nats", { value: numberText(log_prob) })),
      makeFact(t("score"), numberText(score)),
      makeFact(t("score of the reference"), numberText(reference_score)),
      makeFact(t("doubt"), t("{value} nats a token", { value: numberText(doubt) })),
    );
    return list;
  }

  /** @param {Row | null} row */
  function show(row) {
    place.hidden = !row;
    if (!row) return;
    const texts = make("dl", "ev-texts");
    texts.append(
      makeFact(t("source, line {line}", { line: row.line }), makeText(row.source)),
      ...row.references.map((text) => makeFact(t("reference"), makeText(text))),
      ...row.scores.map((value, at) => makeFact(given.scores[at], numberText(value))),
    );
    const opened = make("p", "ev-links");
    opened.append(...links(row));
    const wrong = systems.filter(({ name }) => isWrong(row, given.names.indexOf(name)));
    const blamed = key && wrong.length ? [behind.show(key, row.line, wrong)] : [];
    place.replaceChildren(texts, ...row.cells.map(output), opened, ...blamed);
  }

  /** @type {(row: Row, at: number) => boolean} */
  const isWrong = ({ cells, references }, at) => !references.includes(cells[at].output);

  /** @type {(rows: Rows, run: System[], kept: string) => void} */
  function begin(rows, run, kept) {
    given = rows;
    systems = run;
    key = kept;
  }

  return { begin, show, experiment: behind.follow };
}
