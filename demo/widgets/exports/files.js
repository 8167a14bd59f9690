// @ts-check
// Offers files made in the browser for download, and makes the buttons for it.
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
