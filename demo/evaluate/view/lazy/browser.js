// @ts-check
// All segments of a test set, sorted and filtered. Only those on the screen are drawn; the selected one is shown in full.
import { findAll, make, setText } from "../../../widgets/view/dom.js";
import { fits, wordsOf } from "../../../widgets/view/filter.js";
import { clamp, numberText, wholeText } from "../../../widgets/view/numbers.js";
import { reveal } from "../../../widgets/view/scrolling.js";
import { t } from "../../../widgets/view/translate.js";
import { createDetail, makeDiff, makeLegend, makeText } from "./detail.js";

/**
 * @typedef {object} Cell the output of a system for a segment
 * @property {string} output
 * @property {number} chrf
 * @property {[kind: "s" | "c" | "a" | "m", text: string][]} diff against the first reference
 * @property {number} [doubt] nats per token
 * @property {number} [log_prob]
 * @property {number} [score]
 * @property {number} [reference_score]
 * @property {string} [cause]
 * @property {string} [evidence]
 */
/** @typedef {{ line: number, source: string, references: string[], scores: number[], cells: Cell[] }} Row */
/** @typedef {Record<string, { title: string, remedy: string }>} Causes by name */
/**
 * @typedef {object} Rows
 * @property {string[]} names of the systems
 * @property {Causes} causes
 * @property {number} badBelow chrF below which an output is bad
 * @property {string[]} scores names of the scores in a file
 * @property {Row[]} rows
 */
/** @typedef {{ label: string, of: (row: Row) => number }} Order the smallest comes first */
/** @typedef {{ label: string, holds: (row: Row) => boolean }} Filter */
/** @typedef {{ name: string, checkpoint: string, label: string, settings: Record<string, any> }} System that is run here */

const LINE_PIXELS = 25; // pixels of a line, as in the style sheet: one line for the source, one for each system
const PADDING = 13;
const SPARE_ROWS = 6; // rows beyond the screen

/** @param {HTMLElement} root */
export function createBrowser(root) {
  const [list, detailRoot, count, controls] = findAll(root, ".ev-list", ".ev-detail", ".ev-count", ".ev-controls");
  const inside = make("div", "ev-inside");
  list.append(inside);
  const detail = createDetail(detailRoot);
  /** @type {Rows} */
  let report = { names: [], causes: {}, badBelow: 0, scores: [], rows: [] };
  /** @type {Row[]} */
  let visible = [];
  /** @type {string[]} */
  let words = []; // the words of each row, for the search
  /** @type {Row | null} */
  let open = null;
  let height = LINE_PIXELS;

  const sort = make("select");
  const filter = make("select");
  const search = Object.assign(make("input"), { type: "search", placeholder: t("Find words"), spellcheck: false });
  search.setAttribute("aria-label", t("Find words"));
  controls.append(withLabel(t("Sort by"), sort), withLabel(t("Show"), filter), search, makeLegend());
  let orders = /** @type {Order[]} */ ([]);
  let filters = /** @type {Filter[]} */ ([]);

  /** @type {(title: string, input: HTMLElement) => HTMLElement} */
  function withLabel(title, input) {
    return make("label", "", make("span", "", title), input);
  }

  /** @type {(choices: { label: string }[]) => HTMLOptionElement[]} */
  const optionsOf = (choices) => choices.map(({ label }, index) => new Option(label, String(index)));

  function choose() {
    const { of } = orders[Number(sort.value)];
    const { holds } = filters[Number(filter.value)];
    const typed = search.value.trim();
    visible = report.rows
      .filter((row, index) => holds(row) && (!typed || fits(words[index], typed)))
      .sort((one, other) => of(one) - of(other) || one.line - other.line);
    setText(count, t("{count} of {all}", { count: wholeText(visible.length), all: wholeText(report.rows.length) }));
    inside.style.height = `${visible.length * height}px`;
    list.scrollTop = 0;
    pick(visible[0] ?? null);
  }

  function draw() {
    const first = clamp(Math.floor(list.scrollTop / height) - SPARE_ROWS, 0, Math.max(0, visible.length - 1));
    const last = Math.min(visible.length, first + Math.ceil(list.clientHeight / height) + 2 * SPARE_ROWS);
    inside.replaceChildren(...visible.slice(first, last).map((row, index) => line(row, first + index)));
  }

  /** @type {(row: Row, index: number) => HTMLElement} */
  function line(row, index) {
    const source = make("p", "ev-source", make("span", "ev-line", String(row.line)), makeText(row.source));
    const node = make("div", "ev-row", source, ...row.cells.map(outputLine));
    node.id = `ev-row-${row.line}`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", String(row === open));
    node.setAttribute("aria-posinset", String(index + 1));
    node.setAttribute("aria-setsize", String(visible.length));
    Object.assign(node.style, { top: `${index * height}px`, height: `${height}px` });
    node.addEventListener("click", () => {
      pick(row);
      reveal(detailRoot);
    });
    return node;
  }

  /** @param {Cell} cell */
  function outputLine(cell) {
    const score = make("span", "ev-chrf", numberText(cell.chrf, 0));
    score.style.setProperty("--share", String(cell.chrf / 100));
    const node = make("p", "ev-output", score, makeDiff(cell.diff.filter(([kind]) => kind !== "m")));
    if (cell.cause) node.append(make("span", "ev-cause", report.causes[cell.cause].title));
    return node;
  }

  /** @param {Row | null} row */
  function pick(row) {
    open = row;
    if (row) list.setAttribute("aria-activedescendant", `ev-row-${row.line}`);
    else list.removeAttribute("aria-activedescendant");
    draw();
    detail.show(row);
  }

  /** @param {number} by */
  function move(by) {
    const index = clamp((open ? visible.indexOf(open) : -1) + by, 0, visible.length - 1);
    if (!visible[index]) return;
    const [top, bottom] = [index * height, (index + 1) * height];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    pick(visible[index]);
  }

  list.addEventListener("scroll", draw, { passive: true });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / height));
    const [first, last] = [-visible.length, visible.length];
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: first, End: last };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  });
  for (const input of [sort, filter]) input.addEventListener("change", choose);
  search.addEventListener("input", choose);
  new ResizeObserver(draw).observe(list);

  /** @type {(rows: Rows, systems: System[]) => void} */
  function show(rows, systems) {
    report = rows;
    words = rows.rows.map((row) => wordsOf([row.source, ...row.references, ...row.cells.map(({ output }) => output)]));
    height = LINE_PIXELS * (1 + rows.names.length) + PADDING;
    detail.begin(rows, systems);
    orders = ordersOf(report);
    filters = filtersOf(report);
    sort.replaceChildren(...optionsOf(orders));
    filter.replaceChildren(...optionsOf(filters));
    choose();
  }

  return { show };
}

/** The first two systems in both orders. @type {(report: Rows) => number[][]} */
const pairsOf = ({ names }) => (names.length > 1 ? [0, 1].map((one) => [one, 1 - one]) : []);

/** @type {(report: Rows) => Order[]} */
export function ordersOf(report) {
  const { names, scores, rows } = report;
  return [
    ...names.map((name, index) => ({
      label: t("chrF of {system}, worst first", { system: name }),
      of: (/** @type {Row} */ row) => row.cells[index].chrf,
    })),
    ...names
      .map((name, index) => ({
        label: t("cost per token of {system}", { system: name }),
        of: (/** @type {Row} */ row) => -(row.cells[index].doubt ?? 0),
      }))
      .filter((_, index) => rows[0].cells[index].doubt !== undefined),
    ...pairsOf(report).map(([one, other]) => ({
      label: t("where {a} beats {b} most", { a: names[one], b: names[other] }),
      of: (/** @type {Row} */ row) => row.cells[other].chrf - row.cells[one].chrf,
    })),
    ...scores.map((name, index) => ({ label: name, of: (/** @type {Row} */ row) => row.scores[index] })),
    { label: t("line of the file"), of: (row) => row.line },
  ];
}

/** @type {(report: Rows) => Filter[]} */
export function filtersOf(report) {
  const { names, causes, badBelow } = report;
  return [
    { label: t("all segments"), holds: () => true },
    { label: t("bad outputs"), holds: (row) => row.cells.some(({ chrf }) => chrf < badBelow) },
    ...pairsOf(report).map(([one, other]) => ({
      label: t("{a} better than {b}", { a: names[one], b: names[other] }),
      holds: (/** @type {Row} */ row) => row.cells[one].chrf > row.cells[other].chrf,
    })),
    ...Object.entries(causes).map(([name, { title }]) => ({
      label: title,
      holds: (/** @type {Row} */ row) => row.cells.some(({ cause }) => cause === name),
    })),
  ];
}
