// @ts-check
// Turns the Markdown of a model card into elements. HTML in it stays text: everything enters as text.
import { make } from "./dom.js";
import { t } from "./translate.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|\[([^\]]*)\]\(((?:[^()\s]|\([^()\s]*\))+)\)|\*([^*\s](?:[^*]*[^*\s])?)\*/;
const BLOCK_START = /^(#{1,6}\s|```|\s*([-*]|\d+\.)\s|\s*\||-{3,}\s*$)/;
const ITEM = /^(\s*)([-*]|\d+\.)\s+(.*)$/;
const PIECE_OF_ROW = /(`+).+?\1|\\\||\||[^|`\\]+|./g;
const RULE_OF_TABLE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function isWeb(address) {
  try {
    return ["https:", "http:"].includes(new URL(address).protocol);
  } catch {
    return false; // a relative address, which the page does not serve
  }
}

function inlineNodes(text) {
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    nodes.push(rest.slice(0, match.index), inlineElement(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, rest];
}

/** @param {string[]} match of INLINE */
function inlineElement([, , code, strong, label, address, emphasis]) {
  if (code !== undefined) return make("code", "", code.trim());
  const tag = strong !== undefined ? "strong" : emphasis !== undefined ? "em" : isWeb(address) ? "a" : "span";
  const node = withInline(tag, strong ?? emphasis ?? label);
  if (tag === "a") Object.assign(node, { href: address, target: "_blank", rel: "noopener noreferrer" });
  return node;
}

const withInline = (tag, text) => make(tag, "", ...inlineNodes(text));

// A bar within code, or after a backslash, does not separate cells.
function cellsOf(line) {
  const cells = [""];
  for (const [piece] of line.trim().matchAll(PIECE_OF_ROW)) {
    if (piece === "|") cells.push("");
    else cells[cells.length - 1] += piece.replaceAll("\\|", "|");
  }
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

function tableOf(lines) {
  const table = make("table");
  const scroll = make("div", "md-scroll", table);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", t("Table"));
  const row = (section, tag, line) =>
    section.append(make("tr", "", ...cellsOf(line).map((cell) => withInline(tag, cell))));
  row(table.createTHead(), "th", lines[0]);
  const body = table.createTBody();
  for (const line of lines.slice(2)) row(body, "td", line);
  return scroll;
}

function itemsOf(lines) {
  const items = [];
  for (const line of lines) {
    const match = ITEM.exec(line);
    if (match)
      items.push({
        indent: match[1].replaceAll("\t", "    ").length,
        tag: /\d/.test(match[2]) ? "ol" : "ul",
        text: match[3],
      });
    else items[items.length - 1].text += ` ${line.trim()}`;
  }
  return items;
}

// Items that are indented further than the one before them form a list within it.
function listOf(items) {
  const list = make(items[0].tag);
  for (let index = 0; index < items.length; ) {
    const nested = stretch(items, index + 1, (next) => next.indent >= items[index].indent + 2);
    const item = withInline("li", items[index].text);
    if (nested.length) item.append(listOf(nested));
    list.append(item);
    index += nested.length + 1;
  }
  return list;
}

// The lines, or items, from `start` on, as long as `goes` holds.
function stretch(lines, start, goes) {
  let end = start;
  while (end < lines.length && goes(lines[end])) end += 1;
  return lines.slice(start, end);
}

function blockAt(lines, index) {
  const line = lines[index];
  if (line.startsWith("```")) {
    const inside = stretch(lines, index + 1, (next) => !next.startsWith("```"));
    return [make("pre", "", inside.join("\n")), inside.length + 2];
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) return [withInline("h4", heading[2]), 1];
  if (/^-{3,}\s*$/.test(line)) return [make("hr"), 1];
  if (line.includes("|") && RULE_OF_TABLE.test(lines[index + 1] ?? "") && lines[index + 1].includes("-")) {
    const rows = stretch(lines, index, (next) => next.includes("|") || RULE_OF_TABLE.test(next));
    return [tableOf(rows), rows.length];
  }
  if (/^\s*([-*]|\d+\.)\s/.test(line)) {
    const items = stretch(lines, index, (next) => next.trim() && (/^\s/.test(next) || /^([-*]|\d+\.)\s/.test(next)));
    return [listOf(itemsOf(items)), items.length];
  }
  const more = stretch(lines, index + 1, (next) => next.trim() && !BLOCK_START.test(next));
  return [withInline("p", [line, ...more].join(" ")), more.length + 1];
}

export function markdownNodes(text) {
  const lines = text.split("\n");
  const nodes = [];
  for (let index = 0; index < lines.length; ) {
    if (!lines[index].trim()) {
      index += 1;
      continue;
    }
    const [node, length] = blockAt(lines, index);
    nodes.push(node);
    index += Math.max(1, length);
  }
  return nodes;
}
