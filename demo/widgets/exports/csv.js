// @ts-check
// Tables as RFC 4180 CSV, with a byte order mark so that spreadsheets read UTF-8; and with tabs, for pasting.

/** @typedef {string | number | null | undefined} Cell */

/** @param {Cell} value */
function plainCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  // A spreadsheet would run a text that begins like a formula.
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
 * A table for the clipboard: cells contain no tabs and no line breaks.
 * @param {Cell[][]} lines
 */
export const tsvText = (lines) =>
  lines.map((line) => line.map((value) => plainCell(value).replace(/\s+/g, " ")).join("\t")).join("\n");
