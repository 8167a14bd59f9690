// @ts-check
// One row for each strategy: a table on a wide screen, cards on a narrow one. Sorting and pinning need no server.
import { find, isHidden, make, makeButton, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { COLUMNS, STANDINGS, sortedRows, visibleColumns } from "./columns.js";
import { firstDifference, outputText, stateNode } from "./texts.js";

export function createTable(root, onOpen) {
  const box = find(root, ".cp-rows");
  const [head, body] = [find(box, "thead"), find(box, "tbody")];
  const select = find(root, ".cp-sort select", HTMLSelectElement);
  /** @type {{ value: any, key: string, down: boolean, pinned: number | null, open: number | null }} */
  const state = { value: null, key: "", down: false, pinned: null, open: null };

  function baseline() {
    const { value, pinned } = state;
    if (pinned !== null && value.rows[pinned]?.state === "done") return value.rows[pinned];
    if (value.reference && !isHidden("reference")) return { name: t("the reference"), ...value.reference };
    return value.rows.find((row) => row.state === "done") ?? null;
  }

  function rows() {
    const base = baseline();
    return state.value.rows.map((row) => ({
      ...row,
      output: row.state === "done" ? state.value.texts[row.text] : "",
      parts: row.state === "done" && base?.ids ? firstDifference(base.ids, row.ids) : null,
    }));
  }

  function sortBy(key, down) {
    Object.assign(state, { key, down });
    draw();
  }

  function header(column) {
    const isSorted = state.key === column.key;
    const button = makeButton("cp-head", () => {
      sortBy(column.key, isSorted ? !state.down : Boolean(column.down));
      find(head, `[data-key=${column.key}]`).focus();
    });
    button.dataset.key = column.key;
    button.title = column.hint ? `${column.hint}. ${t("Click to sort")}.` : t("Click to sort");
    button.append(make("span", "", column.label));
    if (column.unit) button.append(make("small", "", column.unit));
    const cell = make("th", "", button);
    cell.scope = "col";
    cell.setAttribute("role", "columnheader");
    cell.setAttribute("aria-sort", isSorted ? (state.down ? "descending" : "ascending") : "none");
    if (!column.words) cell.className = "cp-number";
    return cell;
  }

  function markOf(row) {
    const [sign] = STANDINGS[row.mark.standing];
    const glyph = make("b", "", sign);
    glyph.setAttribute("aria-hidden", "true");
    const mark = make("span", "cp-mark", glyph, make("span", "", row.mark.text));
    mark.dataset.standing = row.mark.standing;
    return mark;
  }

  function nameCell(row) {
    const isDone = row.state === "done";
    const name = isDone ? makeButton("cp-open", () => onOpen(row), row.name) : make("span", "", row.name);
    if (isDone) {
      name.title = t("Open this decoding in full");
      name.setAttribute("aria-pressed", String(state.open === row.id));
    }
    // A line breaks between settings, not inside one.
    const details = row.details
      .split(", ")
      .map((part) => (part.length < 24 ? part.replaceAll(" ", "\u00a0") : part))
      .join(", ");
    return make("td", "cp-who", name, make("small", "", details));
  }

  function outputCell(row) {
    const cell = make("td", "cp-what");
    if (row.state === "done") {
      cell.append(outputText(state.value, baseline()?.text ?? null, row.text), markOf(row));
      if (row.request.better.length && !isHidden("reference"))
        cell.append(makeButton("cp-where", () => onOpen(row, true), t("Show me where")));
      if (row.note) cell.append(make("small", "cp-aside", row.note));
    } else cell.append(stateNode("span", row));
    return cell;
  }

  function pinCell(row) {
    if (row.state !== "done") return make("td", "cp-pin-cell");
    const pin = makeButton("cp-pin", () => {
      state.pinned = state.pinned === row.id ? null : row.id;
      draw();
      find(body, `[data-row="${row.id}"] .cp-pin`).focus();
    });
    const pinned = state.pinned === row.id;
    pin.textContent = pinned ? t("pinned") : t("pin");
    pin.setAttribute("aria-pressed", String(pinned));
    pin.setAttribute("aria-label", t("Compare the others with {name}", { name: row.name }));
    pin.title = t("Compare the others with this output");
    return make("td", "cp-pin-cell", pin);
  }

  function line(row) {
    const numbers = visibleColumns(state.value)
      .slice(2)
      .map((column) => {
        const cell = make("td", "cp-number", row.state === "done" ? column.show(row) : "");
        cell.dataset.label = column.unit ? `${column.label} (${column.unit})` : column.label;
        return cell;
      });
    const node = make("tr", "", nameCell(row), outputCell(row), ...numbers, pinCell(row));
    node.setAttribute("role", "row");
    Object.assign(node.dataset, { row: row.id, state: row.state });
    if (state.open === row.id) node.classList.add("cp-on");
    for (const cell of node.cells) cell.setAttribute("role", "cell");
    return node;
  }

  function draw() {
    const { value } = state;
    const columns = visibleColumns(value);
    const last = make("th", "", make("span", "cp-hidden", t("Compare with")));
    last.setAttribute("role", "columnheader");
    const titles = make("tr", "", ...columns.map(header), last);
    titles.setAttribute("role", "row");
    head.replaceChildren(titles);
    body.replaceChildren(...sortedRows(rows(), state.key, state.down).map(line));
    select.replaceChildren(
      new Option(t("order chosen"), ""),
      ...columns.map((column) => new Option(column.label, column.key)),
    );
    select.value = state.key;
    const base = baseline();
    find(root, ".cp-baseline").textContent = base
      ? t("compared with {name}: underlined is new, struck through is missing", { name: base.name })
      : "";
    setText(find(box, ".cp-caption"), value.caption);
    find(box, ".cp-signature").textContent = value.signatures.join("   ");
  }

  document.addEventListener("unrolled:hide", () => {
    if (state.value) draw();
  });
  select.addEventListener("change", () =>
    sortBy(select.value, Boolean(COLUMNS.find((column) => column.key === select.value)?.down)),
  );

  // The view for a link: counts begin at 1, a minus sorts downwards.
  const read = () => ({
    ...(state.key && { sort: (state.down ? "-" : "") + state.key }),
    ...(state.pinned !== null && { pinned: state.pinned + 1 }),
  });

  /** @type {(view: Record<string, any>, faults: string[]) => void} */
  function restore({ sort = "", pinned }, faults) {
    const key = sort.replace("-", "");
    if (key && !visibleColumns(state.value).some((column) => column.key === key))
      faults.push(t("There is no column {name} to sort by.", { name: key }));
    else Object.assign(state, { key, down: sort.startsWith("-") });
    if (pinned > state.value.rows.length)
      faults.push(
        t("The link asks for {name} {value}, but the last one is {most}.", {
          name: "pinned",
          value: pinned,
          most: state.value.rows.length,
        }),
      );
    else if (pinned) state.pinned = pinned - 1;
    draw();
  }

  return {
    read,
    restore,
    load(value) {
      const other =
        JSON.stringify(state.value?.request) !== JSON.stringify(value.request) ||
        state.value.rows.length !== value.rows.length;
      if (other) Object.assign(state, { pinned: null, open: null });
      state.value = value;
      draw();
    },
    open(id) {
      state.open = id;
      draw();
    },
    sorted: () => sortedRows(rows(), state.key, state.down),
    baseline,
  };
}
