// @ts-check
// Buttons that copy, each with a note beside it whether it worked.

import { make, makeButton } from "../view/dom.js";
import { t } from "../view/translate.js";
import { copyToClipboard } from "./clipboard.js";
import { offer } from "./files.js";

const SAID_MILLISECONDS = 4000;

/**
 * @param {string} hint
 * @param {() => Promise<string>} copy returns the message to show
 * @param {string} [label]
 */
export function copyButton(hint, copy, label = t("copy")) {
  const status = make("span", "tv-copied");
  status.setAttribute("role", "status");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const button = makeButton("tv-download", async () => {
    clearTimeout(timer);
    status.textContent = await copy().catch((error) => {
      console.warn(error);
      return t("failed, try again");
    });
    timer = setTimeout(() => {
      status.textContent = "";
    }, SAID_MILLISECONDS);
  });
  button.textContent = label;
  button.title = hint;
  button.setAttribute("aria-label", hint);
  return make("span", "tv-copy", button, status);
}

/** @param {string} text */
export async function copyText(text) {
  return (await copyToClipboard(text)) ? t("Copied") : t("The browser does not allow copying.");
}

/**
 * Copies a picture, or downloads it where the clipboard accepts none.
 * @param {Promise<Blob>} picture a promise, since some browsers allow the clipboard only at once after a click
 * @param {string} filename
 */
export async function copyPicture(picture, filename) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return t("Copied");
  } catch {
    offer(await picture, "image/png", filename);
    return t("The browser does not allow copying: downloaded instead.");
  }
}
