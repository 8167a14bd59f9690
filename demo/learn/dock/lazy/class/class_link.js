// @ts-check
// The link to a class, for its teacher to show: whole, to copy, and as a QR code. And the keys of the classes that this
// browser has opened, in all its tabs; a pupil's random name, in one tab.
import { copyToClipboard } from "../../../../widgets/exports/copying.js";
import { make, makeButton, setText } from "../../../../widgets/view/dom.js";
import { recall, remember } from "../../../../widgets/view/memory.js";
import { t } from "../../../../widgets/view/translate.js";
import { recallRecord } from "../../progress.js";

// The link to a class, for its teacher to show: whole, to copy, and as a QR code.

const KEYS = "unrolled-classes";
const KEPT_MILLISECONDS = 4 * 3600 * 1000; // a class ends after four hours
const PUPIL = "unrolled-pupil";
const PUPIL_WORDS = 4; // words of 32 bits

/** @typedef {Record<string, { key: string, opened: number }>} Keys by the names of classes, with the time in ms */

/** @returns {Keys} */
const allKeys = () => recallRecord(KEYS);

/**
 * The teacher's key of a class; empty if this browser has not opened it.
 * @param {string} name
 */
export const keyOf = (name) => String(allKeys()[name]?.key ?? "");

/**
 * Keeps the key of a class, and drops those of classes that are over.
 * @param {string} name
 * @param {string} key
 */
export function keepKey(name, key) {
  const now = Date.now();
  const live = Object.entries(allKeys()).filter(([, entry]) => now - (entry?.opened ?? 0) < KEPT_MILLISECONDS);
  remember(KEYS, { ...Object.fromEntries(live), [name]: { key, opened: now } });
}

/** A pupil's name, the same when the page is reloaded. `crypto.randomUUID` exists only over https and on localhost. */
export function pupilName() {
  const stored = recall(PUPIL, "sessionStorage");
  if (stored) return String(stored);
  const words = crypto.getRandomValues(new Uint32Array(PUPIL_WORDS));
  const name = Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
  remember(PUPIL, name, "sessionStorage"); // if a page in a frame may store nothing, a reload makes another pupil
  return name;
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Whether an address leads each device to itself.
 * @param {string} hostname
 */
export const isLoopback = (hostname) => LOOPBACK.test(hostname);

/** @param {any} server */
export function createClassLink(server) {
  const heading = make("summary");
  const field = make("textarea");
  const copy = makeButton("ls-do", () => copyLink().catch(console.error));
  const code = make("img", "ls-qr");
  const warning = make("p", "ls-warning");
  const status = make("p", "ls-hint");
  status.setAttribute("role", "status");
  field.readOnly = true;
  field.spellcheck = false;
  field.addEventListener("focus", () => field.select());
  const root = make("details", "ls-invite", heading, warning, field, copy, code, status);

  async function copyLink() {
    const copied = await copyToClipboard(field.value);
    if (!copied) field.focus(); // a focused field selects the link
    setText(status, copied ? t("Copied") : t("The browser does not allow copying: press Ctrl+C."));
  }

  /** @param {string} href */
  async function drawCode(href) {
    const { image = "", refused = "" } = await server.qr_code({ text: href });
    if (field.value !== href) return;
    code.hidden = !image;
    if (image) code.src = image;
    setText(status, refused);
  }

  function label() {
    heading.textContent = t("Link for the class");
    field.setAttribute("aria-label", t("Link for the class"));
    copy.textContent = t("Copy link");
    code.alt = t("The link for a class as a QR code");
  }

  /** @param {string} name of the class */
  function show(name) {
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ class: name }).toString();
    url.hash = "";
    field.value = url.href;
    field.rows = Math.ceil(url.href.length / 30); // 30 characters fit a row of the dock's narrowest field
    code.hidden = true;
    warning.textContent = isLoopback(url.hostname)
      ? t("Pupils cannot reach this address. Start the app with HOST=0.0.0.0 and open it by this machine's address.")
      : "";
    drawCode(url.href).catch(console.error);
  }

  return { root, label, show };
}
