// @ts-check
// Buttons that copy, and say beside themselves whether it worked.

import { make, makeButton } from "../dom.js";
import { t } from "../translate.js";
import { copyToClipboard } from "./clipboard.js";
import { offer } from "./files.js";

const SAID_MILLISECONDS = 4000;

/**
 * @param {string} hint
 * @param {() => Promise<string>} copy returns what to say
 * @param {string} [label]
 */
export function copyButton(hint, copy, label = t("copy")) {
  const place = make("span", "tv-copy");
  const said = make("span", "tv-copied");
  said.setAttribute("role", "status");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const button = makeButton("tv-download", async () => {
    clearTimeout(timer);
    said.textContent = await copy().catch((error) => {
      console.warn(error);
      return t("failed, try again");
    });
    timer = setTimeout(() => {
      said.textContent = "";
    }, SAID_MILLISECONDS);
  });
  button.textContent = label;
  button.title = hint;
  button.setAttribute("aria-label", hint);
  place.append(button, said);
  return place;
}

/** @param {string} text */
export async function copyText(text) {
  return (await copyToClipboard(text)) ? t("Copied") : t("The browser keeps the clipboard to itself.");
}

/**
 * Where the clipboard takes no pictures, it is downloaded.
 * @param {Promise<Blob>} picture not awaited before the clipboard is asked: some browsers then no longer allow it
 * @param {string} filename
 */
export async function copyPicture(picture, filename) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return t("Copied");
  } catch {
    offer(await picture, "image/png", filename);
    return t("The browser keeps the clipboard to itself: downloaded instead.");
  }
}
