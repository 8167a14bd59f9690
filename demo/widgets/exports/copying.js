// @ts-check
// Copies texts and pictures, and makes the buttons for it, each with a note beside it whether it worked.
import { make, makeButton } from "../view/dom.js";
import { t } from "../view/translate.js";
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

/**
 * Copies a text; falls back to an old method where the clipboard is not available, over http or in a frame.
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyTheOldWay(text);
  }
}

/** @param {string} text */
function copyTheOldWay(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  field.style.cssText = "position: fixed; inset: 0 auto auto 0; opacity: 0";
  (focused?.parentElement ?? document.body).append(field); // beside the focus, or what contains it would close
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return copied;
}
