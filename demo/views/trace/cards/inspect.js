// @ts-check
// A view of Inspect: asks Python about the step on show, draws what it answers, hands on what the reader chooses.
import { createChart } from "../../shared/charts.js";
import { copyButton, copyPicture, copyText } from "../../shared/copying.js";
import { csvText, tsvText } from "../../shared/csv.js";
import { find, make } from "../../shared/dom.js";
import { offer, saveButton } from "../../shared/files.js";
import { numberText } from "../../shared/numbers.js";
import { t } from "../../shared/translate.js";
import { makeControl, setControl } from "./inspect_controls.js";
import { readChoices, writtenChoices } from "./inspect_link.js";
import { createQuestions, stepOf } from "./questions.js";

/** @import { Card, Chart, View } from "../trace_card.js" */
/** @import { Control } from "./inspect_controls.js" */

/** @typedef {string | number | { text: string, query: string }} Cell the last opens something on the page */
/**
 * @typedef {object} Shown what a view answers; see demo/inspect/view.py
 * @property {string[]} [told]
 * @property {Control[]} [controls]
 * @property {{ name: string, title: string, data: any[], layout: any }[]} [charts]
 * @property {{ head: Cell[], rows: Cell[][] } | null} [table]
 * @property {string} [refused]
 */

const MOVES = ["step", "path", "rival"];
const SECOND = 1; // the chart that stands at the side of the first, where there is room
const AT_ONCE = 0; // milliseconds: who changes a control waits for its answer

/**
 * @param {View} view
 * @param {HTMLElement} card
 * @returns {Card}
 */
export function create({ root, selection, plotly, server }, card) {
  const { state } = selection;
  const name = /** @type {string} */ (card.dataset.card);
  const [told, controls, charts, table] = ["told", "controls", "charts", "table"].map((part) =>
    find(card, `.tv-inspect-${part}`),
  );
  const [trust, files, side] = ["trust", "files", "second"].map((part) => find(card, `.tv-inspect-${part}`));
  const questions = createQuestions(card, server, "inspect", show);
  /** @type {Record<string, string | number>} */
  let chosen = {}; // by the controls' names, what the reader has changed
  /** @type {{ place: HTMLElement, title: HTMLElement, files: HTMLElement, chart: Chart, name: string }[]} */
  const boxes = []; // made when they are first needed, and kept
  let drawn = ""; // the controls on show, without their values

  const question = () => ({
    ...stepOf(selection),
    view: name,
    output: state.path.map((node) => node.token_id),
    options: chosen,
  });

  async function look(pause) {
    if (selection.current()) await questions.ask(question(), pause);
  }

  /** @param {Shown} answer */
  function show(answer) {
    const sentences = answer.told ?? [answer.refused ?? ""];
    told.textContent = sentences[0] ?? "";
    trust.replaceChildren(...sentences.slice(1).map((sentence) => make("p", "", sentence)));
    showControls(answer.controls ?? []);
    showCharts(answer.charts ?? []);
    showTable(answer.table ?? null);
  }

  /** A control in the reader's hand stays the same element. @param {Control[]} given */
  function showControls(given) {
    const form = JSON.stringify(given.map(({ value, ...rest }) => rest));
    if (form === drawn) {
      for (const [at, control] of given.entries()) setControl(controls.children[at], control);
      return;
    }
    drawn = form;
    controls.replaceChildren(...given.map((control) => makeControl(control, (value) => choose(control.name, value))));
  }

  /** @type {(control: string, value: string | number) => void} */
  function choose(control, value) {
    chosen = { ...chosen, [control]: value };
    look(AT_ONCE);
  }

  /** @param {NonNullable<Shown["charts"]>} given */
  function showCharts(given) {
    while (boxes.length < given.length) boxes.push(makeBox());
    for (const [at, box] of boxes.entries()) {
      const figure = given[at];
      box.place.hidden = !figure;
      if (!figure) continue;
      box.name = figure.name;
      box.title.textContent = figure.title;
      box.chart.draw({ data: figure.data, layout: figure.layout }, state.model.payload.dark).catch(console.error);
    }
  }

  function makeBox() {
    const place = make("section", "tv-inspect-chart");
    const header = make("header");
    const [title, saved] = [make("h4"), make("span", "tv-downloads")];
    const scroller = make("div", "tv-scroll");
    const inside = make("div");
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "group");
    scroller.append(inside);
    header.append(title, saved);
    place.append(header, scroller);
    (boxes.length === SECOND ? side : charts).append(place);
    const chart = createChart(root, inside, plotly);
    chart.on("plotly_click", ({ points }) => follow(points[0]?.customdata));
    const box = { place, title, files: saved, chart, name: "" };
    for (const format of ["PNG", "SVG"]) {
      const hint = t("Download the chart as {format}", { format });
      const save = () => chart.download(format.toLowerCase(), `unrolled-${box.name}`);
      saved.append(saveButton("tv-download", format, hint, save));
    }
    saved.append(
      copyButton(t("Copy the chart as a picture"), () => copyPicture(chart.picture(), `unrolled-${box.name}.png`)),
    );
    return box;
  }

  /** What a point of a chart stands for: a step of the output, or a value of a control. @param {any} meant */
  function follow(meant) {
    if (!Array.isArray(meant)) return;
    const [kind, first, second] = meant;
    if (kind === "step") selection.goTo(first);
    else if (kind === "choose") {
      drawn = ""; // the control shows what was chosen elsewhere
      choose(first, second);
    }
  }

  /** @param {Shown["table"] | null} given */
  function showTable(given) {
    files.hidden = !given?.rows.length;
    table.replaceChildren();
    if (!given) return;
    const head = make("tr");
    const first = given.rows[0] ?? [];
    const className = (/** @type {number} */ at) => (typeof first[at] === "number" ? "tv-number" : "");
    for (const [at, title] of given.head.entries()) {
      const cell = Object.assign(make("th", className(at)), { scope: "col" });
      cell.append(inside(title));
      head.append(cell);
    }
    const lines = given.rows.map((cells) => {
      const line = make("tr");
      line.append(...cells.map(cellOf));
      return line;
    });
    const [top, body] = [make("thead"), make("tbody")];
    top.append(head);
    body.append(...lines);
    const whole = make("table");
    whole.append(top, body);
    table.append(whole);
    const cells = () => [given.head, ...given.rows].map((line) => line.map(plain));
    files.replaceChildren(
      copyButton(t("Copy as a table"), () => copyText(tsvText(cells()))),
      saveButton("tv-download", "CSV", t("Download as a table"), () =>
        offer(csvText(cells()), "text/csv", `unrolled-${name}.csv`),
      ),
    );
  }

  /** @param {Cell} value */
  function cellOf(value) {
    const cell = make("td", typeof value === "number" ? "tv-number" : "");
    if (typeof value !== "number") cell.dir = "auto";
    cell.append(inside(value));
    return cell;
  }

  /** @param {Cell} value */
  function inside(value) {
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : numberText(value);
    if (typeof value === "string") return value;
    return Object.assign(make("a", "", value.text), { href: `?${value.query}` });
  }

  /** @param {Cell} value */
  const plain = (value) => (typeof value === "object" ? value.text : value);

  return {
    load: questions.forget,
    told: questions.kept,
    draw: () => look(AT_ONCE),
    follow: async (change) => void (MOVES.includes(change) && look()),
    read: () => (card.classList.contains("tv-open") && card.checkVisibility() ? writtenChoices(name, chosen) : {}),
    restore({ values }) {
      const given = readChoices(values.inspect);
      if (given?.view === name) chosen = given.chosen;
    },
  };
}
