// @ts-check
// The variables of a line: numbers and prefixes in one row, each list as a small table. Only changes are drawn again.
import { make, makeToken } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";
import { equal } from "./evaluate.js";
import { isRow, prefixText, valueText } from "./values.js";

/** @import { Node } from "../../reading/trace.js" */
/** @import { Scope } from "./evaluate.js" */

const MAX_ROWS = 64; // rows of a table; of a longer list those at its end if one there is new
const [FIRST_TOKENS, LAST_TOKENS] = [4, 10]; // tokens shown of a longer prefix
const DECIDED = ["candidates", "children"]; // lists whose rows the tree shows as kept, finished or pruned

/** @type {(scroller: HTMLElement, item: HTMLElement) => void} scrolls the scroller alone, which must be positioned */
export function revealWithin(scroller, item) {
  const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
}

/** @param {any[]} prefix */
const shortText = (prefix) =>
  prefix.length > FIRST_TOKENS + LAST_TOKENS
    ? `${prefixText(prefix.slice(0, FIRST_TOKENS))} … ${prefixText(prefix.slice(-LAST_TOKENS))}`
    : prefixText(prefix);

/** @param {any} value whether it is drawn as a table */
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every(isRow);
/** @param {any} value rows of several groups */
const isGrouped = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((part) => Array.isArray(part) && part.every(isRow));

/**
 * @param {HTMLElement} box
 * @param {{ nodesOf: (prefix: any[]) => Node[], columns: Record<string, string[]> }} run
 */
export function createVariables(box, { nodesOf, columns }) {
  /** @type {Map<string, { value: any, marked: boolean, element: HTMLElement }>} */
  const drawn = new Map();
  /** @type {WeakMap<HTMLElement, any>} */
  const prefixes = new WeakMap(); // the prefix of each row of a table
  const single = make("p", "tv-single");
  box.replaceChildren(single);

  /** @type {(row: any[], isNew: boolean, isDecided: boolean) => HTMLElement} */
  function rowOf(row, isNew, isDecided) {
    const last = row.at(-1);
    const status = isDecided ? nodesOf(last)[0]?.status : undefined;
    const sign = make("i", status ? "tv-sign" : "");
    if (status) sign.dataset.status = status;
    const cells = row.slice(0, -1).map((value) => make("td", "tv-number", valueText(value)));
    const text = Array.isArray(last) ? shortText(last) : last.label;
    const line = make(
      "tr",
      isNew ? "tv-fresh" : "",
      make("td", "", sign),
      ...cells,
      makeToken("td", "tv-prefix", text),
    );
    prefixes.set(line, last);
    return line;
  }

  /** @type {(name: string, value: any[], before: any) => HTMLElement} */
  function tableOf(name, value, before) {
    const old = new Set(Array.isArray(before) ? before : []);
    const isNew = (/** @type {any} */ row) => !old.has(row);
    const head = value.slice(0, MAX_ROWS);
    const rows = value.slice(MAX_ROWS).some(isNew) ? value.slice(-MAX_ROWS) : head;
    const cut = rows.length < value.length ? ` (${t("{shown} shown", { shown: rows.length })})` : "";
    const caption = make("caption", "", make("code", "", name), ` ${value.length}${cut}`);
    const key = name.split("[")[0];
    const heads = (columns[key] ?? []).map((head) => make("th", "", head));
    const lines = rows.map((row) => rowOf(row, isNew(row), DECIDED.includes(key)));
    return make(
      "table",
      DECIDED.includes(key) || key === "samples" ? "tv-walked" : "",
      caption,
      make("tbody", "", make("tr", "", make("th"), ...heads), ...lines),
    );
  }

  /** @type {(name: string, value: any, before: any, isNew: boolean) => HTMLElement} */
  function elementOf(name, value, before, isNew) {
    if (isTable(value)) return tableOf(name, value, before);
    if (isGrouped(value))
      return make(
        "div",
        "tv-grouped",
        ...value.map((/** @type {any[]} */ rows, /** @type {number} */ index) =>
          tableOf(`${name}[${index}]`, rows, before?.[index]),
        ),
      );
    const text =
      !Array.isArray(value) || !value.length || "prefix output hypothesis".includes(name)
        ? valueText(value)
        : value.map(valueText).join(", ");
    return make(
      "span",
      isNew ? "tv-fresh" : "",
      make("code", "", name),
      " ",
      makeToken("b", "", Array.isArray(value) && !value.length ? "[ ]" : text),
    );
  }

  return {
    /** @type {(scope: Scope, before: Scope) => void} */
    show(scope, before) {
      for (const [name, part] of drawn)
        if (!(name in scope)) {
          part.element.remove();
          drawn.delete(name);
        }
      for (const [name, value] of Object.entries(scope)) {
        const old = drawn.get(name);
        const marked = !equal(value, before[name]);
        if (old && old.value === value && !old.marked && !marked) continue;
        const element = elementOf(name, value, before[name], marked);
        const holder = element.matches("span") ? single : box;
        if (old?.element.parentElement === holder) old.element.replaceWith(element);
        else {
          old?.element.remove();
          holder.append(element);
        }
        drawn.set(name, { value, marked, element });
      }
      for (const line of box.querySelectorAll("tr")) {
        const isCurrent = prefixes.has(line) && prefixes.get(line) === scope.prefix;
        if (line.classList.toggle("tv-on", isCurrent))
          revealWithin(/** @type {HTMLElement} */ (line.closest("table")), line);
      }
    },
  };
}
