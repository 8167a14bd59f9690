// @ts-check
// The link to a class, for its teacher to show: whole, to copy, and as a QR code.

import { copyToClipboard } from "../../../../widgets/exports/copying.js";
import { make, makeButton, setText } from "../../../../widgets/view/dom.js";
import { t } from "../../../../widgets/view/translate.js";

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
