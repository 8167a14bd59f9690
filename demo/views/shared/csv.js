// @ts-check
// Tables as RFC 4180 CSV, with a byte order mark so that spreadsheets read UTF-8.

/** @typedef {string | number | null | undefined} Cell */

/** @param {Cell} value */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  // A spreadsheet would run a text that begins so.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Cell[][]} lines */
export function csvText(lines) {
  return `\ufeff${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;
}
