// @ts-check
// Draws what Python answers to a view of Inspect or a lab: sentences, controls, charts, a table.
import { createChart } from "../charts/charts.js";
import { find, make } from "../dom.js";
import { copyButton, copyPicture, copyText } from "../exports/copying.js";
import { csvText, tsvText } from "../exports/csv.js";
import { offer, saveButton } from "../exports/files.js";
import { createMenu } from "../menu.js";
import { numberText } from "../numbers.js";
import { reachWhileScrolling } from "../scrolling.js";
import { t } from "../translate.js";
import { makeControl, setControl } from "./controls.js";

/** @import { LoadPlotly } from "../charts/plotly.js" */
/** @import { Control } from "./controls.js" */

/** @typedef {string | number | { text: string, query: string }} Cell the last opens something on the page */
/**
 * @typedef {object} Shown what a view answers; see demo/answers/content.py
 * @property {string[]} [told]
 * @property {Control[]} [controls]
 * @property {{ name: string, title: string, data: any[], layout: any }[]} [charts]
 * @property {{ head: Cell[], rows: Cell[][] } | null} [table]
 * @property {string} [refused]
 */

/**
 * @typedef {object} Hands
 * @property {() => string} name of the table's file
 * @property {() => [name: string, value: string][]} [about] what a file has to say of what it holds
 * @property {() => Record<string, string>} dark colours of the dark page
 * @property {(control: string, value: string | number) => void} choose
 * @property {(step: number) => void} [goTo] where there are steps
 */

const SECOND = 1; // the chart that stands at the side of the first, where there is room

/**
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} card holds the parts of shown.html
 * @param {LoadPlotly} plotly
 * @param {Hands} hands
 */
export function createShown(root, card, plotly, hands) {
  const [told, controls, charts, table] = ["told", "controls", "charts", "table"].map((part) =>
    find(card, `.tv-inspect-${part}`),
  );
  const [trust, files, side] = ["trust", "files", "second"].map((part) => find(card, `.tv-inspect-${part}`));
  /** @type {ReturnType<typeof makeBox>[]} */
  const boxes = []; // made when they are first needed, and kept
  let drawn = ""; // the controls on show, without their values
  /** @type {(string | number)[][]} */
  let rows = []; // of the table on show, its head first
  makeFiles();

  /** @param {Shown} answer */
  function show(answer) {
    const sentences = answer.told ?? [answer.refused ?? ""];
    told.textContent = sentences[0] ?? "";
    trust.replaceChildren(...sentences.slice(1).map((sentence) => make("p", "", sentence)));
    showControls(answer.controls ?? []); // with a refusal too, where a control is what has to change
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
    controls.replaceChildren(
      ...given.map((control) => makeControl(control, (value) => hands.choose(control.name, value))),
    );
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
      box.menu.name(t("More for {pane}", { pane: figure.title }));
      box.chart.draw({ data: figure.data, layout: figure.layout }, hands.dark()).catch(console.error);
    }
  }

  function makeBox() {
    const place = make("section", "tv-inspect-chart");
    const header = make("header");
    const [title, saved] = [make("h4"), make("span", "tv-downloads")];
    const menu = createMenu("");
    const scroller = make("div", "tv-scroll");
    const inside = make("div");
    scroller.setAttribute("role", "group");
    scroller.append(inside);
    reachWhileScrolling(scroller);
    menu.panel.append(saved);
    header.append(title, menu.element);
    place.append(header, scroller);
    (boxes.length === SECOND ? side : charts).append(place);
    const chart = createChart(root, inside, plotly);
    chart.on("plotly_click", ({ points }) => follow(points[0]?.customdata));
    const box = { place, title, menu, chart, name: "" };
    for (const format of ["PNG", "SVG"]) {
      const text = t("Download the chart as {format}", { format });
      const save = () => chart.download(format.toLowerCase(), `unrolled-${box.name}`, note());
      saved.append(saveButton("tv-download", text, text, save));
    }
    const text = t("Copy the chart as a picture");
    saved.append(copyButton(text, () => copyPicture(chart.picture(note()), `unrolled-${box.name}.png`), text));
    return box;
  }

  const note = () => (hands.about?.() ?? []).map(([name, value]) => `${name}: ${value}`).join(" · ");

  /** What a point of a chart stands for: a step of the output, or a value of a control. @param {any} meant */
  function follow(meant) {
    if (!Array.isArray(meant)) return;
    const [kind, first, second] = meant;
    if (kind === "step") hands.goTo?.(first);
    else if (kind === "choose") {
      drawn = ""; // the control shows what was chosen elsewhere
      hands.choose(first, second);
    }
  }

  /** @param {Shown["table"] | null} given */
  function showTable(given) {
    rows = given?.rows.length ? [given.head, ...given.rows].map((line) => line.map(plain)) : [];
    files.hidden = !rows.length;
    table.replaceChildren();
    if (!given) return;
    const head = make("tr");
    const first = given.rows[0] ?? [];
    const className = (/** @type {number} */ at) => (typeof first[at] === "number" ? "tv-number" : "");
    for (const [at, title] of given.head.entries()) {
      // A corner that says nothing heads no column.
      const cell = title === "" ? make("td") : Object.assign(make("th", className(at)), { scope: "col" });
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
  }

  function makeFiles() {
    const menu = createMenu(t("More for this table"));
    const [copy, save] = [t("Copy as a table"), t("Download as a table")];
    menu.panel.append(
      copyButton(copy, () => copyText(tsvText(rows)), copy),
      saveButton("tv-download", save, save, () => {
        const lines = hands.about ? [...rows, [], ...hands.about()] : rows;
        offer(csvText(lines), "text/csv", `unrolled-${hands.name()}.csv`);
      }),
    );
    files.append(menu.element);
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

  return { show };
}
