// @ts-check
// The role of each column of a table, which a reader can change. Text enters the page through textContent alone.
import { asData, find, make } from "../view/dom.js";

/** @import { Mount } from "../view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".cl");

  /** Sets a role; a table has one source, so the columns exchange roles. @param {number} column @param {string} role */
  function choose(column, role) {
    const roles = [...props.value.roles];
    const previous = roles.indexOf("source");
    if (role === "source" && previous >= 0) roles[previous] = roles[column];
    roles[column] = role;
    props.value = { ...props.value, roles, chosen: true, problem: "", doubt: "" };
    draw();
    root.querySelectorAll("select")[column].focus();
    trigger("chosen");
  }

  // The first line moves between the names and the rows at once; the server reads the file anew.
  function moveFirstLine() {
    const { names, rows, first_line: line, header } = props.value;
    const columns = names.map((_, index) => `column ${index + 1}`);
    const moved = header ? { names: columns, rows: [line, ...rows] } : { names: line, rows: rows.slice(1) };
    props.value = { ...props.value, ...moved, header: !header, chosen: true, problem: "", doubt: "" };
    draw();
    trigger("chosen");
  }

  /** @param {any} value @param {number} column */
  function head(value, column) {
    const roles = Object.entries(value.called).map(([role, called]) => new Option(called, role));
    const select = make("select", "", ...roles);
    select.setAttribute("aria-label", value.names[column]);
    select.value = value.roles[column];
    select.addEventListener("change", () => choose(column, select.value));
    const name = asData(make("bdi", "", value.names[column]));
    return Object.assign(make("th", value.roles[column] ? "" : "cl-out", name, select), { scope: "col" });
  }

  function draw() {
    const { value } = props;
    root.dataset.state = value ? (value.problem ? "problem" : "table") : "empty";
    const names = value?.names ?? [];
    const heading = find(root, ".cl-header");
    heading.hidden = typeof value?.header !== "boolean";
    Object.assign(find(heading, "input"), { checked: value?.header === true });
    find(heading, "span").textContent = value?.heading ?? "";
    find(root, ".cl-problem").textContent = value?.problem || value?.doubt || "";
    find(root, ".cl-scroll").setAttribute("aria-label", value?.label ?? "");
    find(root, "thead tr").replaceChildren(...names.map((_, column) => head(value, column)));
    const cellOf = (text, column) => asData(make("td", value.roles[column] ? "" : "cl-out", text));
    const rows = (value?.rows ?? []).map((cells) => make("tr", "", ...cells.map(cellOf)));
    find(root, "tbody").replaceChildren(...rows);
  }

  find(root, ".cl-header input").addEventListener("change", moveFirstLine);
  draw();
  watch("value", draw);
}
