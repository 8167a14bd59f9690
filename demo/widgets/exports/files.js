// @ts-check
// Offers files made in the browser for download, and makes the buttons for it. Tables are written as RFC 4180 CSV, with
// a byte order mark so that spreadsheets read UTF-8; and with tabs, for pasting.
import { make, makeButton } from "../view/dom.js";
import { t } from "../view/translate.js";

const KEPT_MILLISECONDS = 10000; // a browser may start the download late

/**
 * @param {BlobPart} content
 * @param {string} type
 * @param {string} filename
 */
export function offer(content, type, filename) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MILLISECONDS);
}

/**
 * A button that saves a file. It shows a failure, and can be pressed again.
 * @param {string} className
 * @param {string} text
 * @param {string} hint
 * @param {() => unknown} save
 */
export function saveButton(className, text, hint, save) {
  const button = makeButton(className, async () => {
    button.disabled = true;
    try {
      await save();
      button.textContent = text;
    } catch (error) {
      console.error(error);
      button.textContent = t("failed, try again");
    }
    button.disabled = false;
  });
  button.textContent = text;
  button.title = hint;
  button.setAttribute("aria-label", hint);
  return button;
}

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
export const csvText = (lines) => `\ufeff${lines.map((line) => line.map(csvCell).join(",")).join("\r\n")}\r\n`;

/**
 * A table for the clipboard: cells contain no tabs and no line breaks.
 * @param {Cell[][]} lines
 */
export const tsvText = (lines) =>
  lines.map((line) => line.map((value) => plainCell(value).replace(/\s+/g, " ")).join("\t")).join("\n");
