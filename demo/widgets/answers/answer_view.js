// @ts-check
// Draws the server's answer in a view of Inspect, a lab, an evaluation or Compare: sentences, controls as Python declares
// them, charts, a table.
import { createChart } from "../charts/charts.js";
import { copyButton, copyPicture, copyText } from "../exports/copying.js";
import { csvText, offer, saveButton, tsvText } from "../exports/files.js";
import { createMenu } from "../menus/menu.js";
import { asData, find, make, sentence, setText } from "../view/dom.js";
import { numberText } from "../view/numbers.js";
import { reachWhileScrolling } from "../view/scrolling.js";
import { t } from "../view/translate.js";

/** @import { LoadPlotly } from "../charts/plotly.js" */

/** @typedef {string | number | { text: string, query: string }} Cell the last is a link on this page */
/**
 * @typedef {object} Shown the server's answer for a view; see demo/widgets/answers/content.py
 * @property {string[]} [sentences]
 * @property {Control[]} [controls]
 * @property {{ name: string, title: string, data: any[], layout: any }[]} [charts]
 * @property {{ head: Cell[], rows: Cell[][] } | null} [table]
 * @property {string} [refused]
 */

/**
 * @typedef {object} Callbacks
 * @property {() => string} name of the table's file
 * @property {() => [name: string, value: string][]} [about] facts that a file states about its content
 * @property {() => string[]} [source] lines of a picture about what its chart was computed from
 * @property {() => Record<string, string>} dark colours of the dark page
 * @property {(control: string, value: string | number) => void} choose
 * @property {(step: number) => void} [goTo] where there are steps
 */

const SECOND = 1; // index of the chart that stands beside the first, if there is room

/**
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} card holds the parts of shown.html
 * @param {LoadPlotly} plotly
 * @param {Callbacks} callbacks
 */
export function createAnswerView(root, card, plotly, callbacks) {
  const [summary, controls, charts, table] = ["summary", "controls", "charts", "table"].map((part) =>
    find(card, `.tv-inspect-${part}`),
  );
  const [trust, files, side] = ["trust", "files", "second"].map((part) => find(card, `.tv-inspect-${part}`));
  /** @type {ReturnType<typeof makeBox>[]} */
  const boxes = []; // created when they are first needed, then reused
  let drawn = ""; // the controls on the page, without their values
  /** @type {(string | number)[][]} */
  let rows = []; // rows of the table on the page, its head first
  makeFiles();

  /** Resolves when the charts are drawn. @param {Shown} answer */
  function show(answer) {
    const sentences = answer.sentences ?? [answer.refused ?? ""];
    setText(summary, sentences[0] ?? "");
    trust.replaceChildren(...sentences.slice(1).map((text) => setText(make("p"), text)));
    showControls(answer.controls ?? []); // a refusal may have controls, too, and ask to change one
    showTable(answer.table ?? null);
    return showCharts(answer.charts ?? []);
  }

  /** Keeps the elements while the controls are the same, so that the reader's focus stays. @param {Control[]} specs */
  function showControls(specs) {
    const form = JSON.stringify(specs.map(({ value, ...rest }) => rest));
    if (form === drawn) {
      for (const [index, control] of specs.entries()) setControl(controls.children[index], control);
      return;
    }
    drawn = form;
    controls.replaceChildren(
      ...specs.map((control) => makeControl(control, (value) => callbacks.choose(control.name, value))),
    );
  }

  /** @param {NonNullable<Shown["charts"]>} figures */
  async function showCharts(figures) {
    while (boxes.length < figures.length) boxes.push(makeBox());
    for (const [index, box] of boxes.entries()) box.section.hidden = !figures[index];
    const drawn = figures.map(({ name, title, data, layout }, index) => {
      const box = boxes[index];
      box.name = name;
      setText(box.title, title);
      box.menu.name(t("More for {pane}", { pane: title }));
      return box.chart.draw({ data, layout }, callbacks.dark()).catch(console.error);
    });
    await Promise.all(drawn);
  }

  function makeBox() {
    const [title, saved, inside] = [make("h4"), make("span", "tv-downloads"), make("div")];
    const menu = createMenu("");
    const scroller = make("div", "tv-scroll", inside);
    scroller.setAttribute("role", "group");
    reachWhileScrolling(scroller);
    menu.panel.append(saved);
    const section = make("section", "tv-inspect-chart", make("header", "", title, menu.element), scroller);
    (boxes.length === SECOND ? side : charts).append(section);
    const chart = createChart(root, inside, plotly);
    chart.on("plotly_click", ({ points }) => follow(points[0]?.customdata));
    const box = { section, title, menu, chart, name: "" };
    const caption = () => {
      const facts = (callbacks.about?.() ?? []).map(([name, value]) => `${name}: ${value}`).join(" · ");
      const lines = [...(callbacks.source?.() ?? []), facts, summary.textContent ?? ""];
      return { title: title.textContent ?? "", lines };
    };
    for (const format of ["PNG", "SVG"]) {
      const text = t("Download the chart as {format}", { format });
      const save = () => chart.download(format.toLowerCase(), `unrolled-${box.name}`, caption());
      saved.append(saveButton("tv-download", text, text, save));
    }
    const text = t("Copy the chart as a picture");
    saved.append(copyButton(text, () => copyPicture(chart.picture(caption()), `unrolled-${box.name}.png`), text));
    return box;
  }

  /** Follows a click on a point that stands for a step of the output or a value of a control. @param {any} target */
  function follow(target) {
    if (!Array.isArray(target)) return;
    const [kind, first, second] = target;
    if (kind === "step") callbacks.goTo?.(first);
    else if (kind === "choose") {
      drawn = ""; // the control is then drawn with its new value
      callbacks.choose(first, second);
    }
  }

  /** @param {Shown["table"] | null} content */
  function showTable(content) {
    rows = content?.rows.length ? [content.head, ...content.rows].map((line) => line.map(plain)) : [];
    files.hidden = !rows.length;
    table.replaceChildren();
    if (!content) return;
    const whole = make("table");
    const head = whole.createTHead().insertRow();
    const first = content.rows[0] ?? [];
    const className = (/** @type {number} */ column) => (typeof first[column] === "number" ? "tv-number" : "");
    for (const [column, title] of content.head.entries()) {
      // An empty corner is not a column heading.
      const cell = title === "" ? make("td") : Object.assign(make("th", className(column)), { scope: "col" });
      cell.append(...(typeof title === "string" ? sentence(title) : [inside(title)]));
      head.append(cell);
    }
    const body = whole.createTBody();
    for (const cells of content.rows) body.insertRow().append(...cells.map(cellOf));
    table.append(whole);
  }

  function makeFiles() {
    const menu = createMenu(t("More for this table"));
    const [copy, save] = [t("Copy as a table"), t("Download as a table")];
    menu.panel.append(
      copyButton(copy, () => copyText(tsvText(rows)), copy),
      saveButton("tv-download", save, save, () => {
        const lines = callbacks.about ? [...rows, [], ...callbacks.about()] : rows;
        offer(csvText(lines), "text/csv", `unrolled-${callbacks.name()}.csv`);
      }),
    );
    files.append(menu.element);
  }

  /** @param {Cell} value */
  function cellOf(value) {
    if (typeof value === "number") return make("td", "tv-number", inside(value));
    return asData(make("td", "", inside(value)));
  }

  /** @param {Cell} value */
  function inside(value) {
    if (typeof value === "number") return shortText(value);
    if (typeof value === "string") return value;
    return Object.assign(make("a", "", value.text), { href: `?${value.query}` });
  }

  /** @param {Cell} value */
  const plain = (value) => (typeof value === "object" ? value.text : value);

  return { show };
}

/**
 * @typedef {object} Control see demo/widgets/answers/content.py
 * @property {"select" | "number" | "text"} kind
 * @property {string} name
 * @property {string} label
 * @property {any} value
 * @property {[value: string, shown: string][]} [options] of a select
 * @property {number} [low] of a number, as are the next two
 * @property {number} [high]
 * @property {number} [step]
 */

/**
 * @param {Control} control
 * @param {(value: string | number) => void} choose
 */
function makeControl(control, choose) {
  const parts = MAKERS[control.kind](control, choose);
  return make("label", "tv-inspect-control", make("span", "", control.label), ...parts);
}

/** @type {Record<Control["kind"], (control: Control, choose: (value: string | number) => void) => HTMLElement[]>} */
const MAKERS = {
  select({ options = [], value }, choose) {
    const select = make("select", "", ...options.map(([name, text]) => asData(new Option(text, name))));
    select.value = value;
    select.addEventListener("change", () => choose(select.value));
    return [select];
  },
  number({ low = 0, high = 1, step = 1, value }, choose) {
    const readout = make("output", "tv-number", shortText(value));
    const range = Object.assign(make("input"), { type: "range", min: low, max: high, step });
    range.value = String(value);
    range.addEventListener("input", () => {
      readout.textContent = shortText(Number(range.value));
    });
    range.addEventListener("change", () => choose(Number(range.value)));
    return [range, readout];
  },
  text({ value }, choose) {
    const box = Object.assign(make("textarea"), { rows: 1, value, spellcheck: false });
    box.addEventListener("change", () => choose(box.value));
    return [box];
  },
};

/**
 * Updates a control's value, which may depend on the step and on other controls, unless the reader is using it.
 * @param {Element} line
 * @param {Control} control
 */
function setControl(line, { value }) {
  const input = /** @type {HTMLInputElement} */ (line.querySelector("select, input, textarea"));
  if (input.matches(":focus")) return;
  input.value = String(value);
  const readout = line.querySelector("output");
  if (readout) readout.textContent = shortText(value);
}

/** @param {number} value */
const shortText = (value) => (Number.isInteger(value) ? String(value) : numberText(value));
