// @ts-check
// Tables as RFC 4180 CSV, with a byte order mark so that spreadsheets read UTF-8; and as they are pasted, with tabs.

/** @typedef {string | number | null | undefined} Cell */

/** @param {Cell} value */
function plainCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  // A spreadsheet would run a text that begins so.
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** @param {Cell} value */
function csvCell(value) {
  const text = plainCell(value);
  if (typeof value === "number") return text;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Cell[][]} lines */
export function csvText(lines) {
  return `\ufeff${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

/**
 * For the clipboard: a cell is a line without tabs.
 * @param {Cell[][]} lines
 */
export const tsvText = (lines) =>
  lines.map((line) => line.map((value) => plainCell(value).replace(/\s+/g, " ")).join("\t")).join("\n");
