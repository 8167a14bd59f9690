// @ts-check
// “Copy link”, and a link for a class that hides parts of the page. links.js writes the link.

import { link } from "../../links/scripts/links.js";
import { partsOf, presetsOf } from "../../links/scripts/settings.js";
import { waitFor } from "../../page/scripts/late_elements.js";
import { copyToClipboard } from "../exports/copying.js";
import { find, findAll, make, targetOf } from "../view/dom.js";
import { t } from "../view/translate.js";

/** @import { Mount } from "../view/mount.js" */

const QUIET_MILLISECONDS = 300; // pause after the link's last change, before its QR code is requested

/** @type {Mount} */
export function mount(element, props, _watch, trigger, server) {
  const root = find(element, ".share");
  const [status, byHand, noCode] = findAll(root, ".sh-status", ".sh-by-hand", ".sh-no-qr");
  const code = find(root, ".sh-qr", HTMLImageElement);
  const field = find(root, ".sh-link", HTMLInputElement);
  const preview = find(root, ".sh-preview", HTMLTextAreaElement);
  /** @type {(() => unknown) | null} */
  let waiting = null; // the task for when the controls have been read
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let coding;

  /** @param {Event} event */
  const tabOf = (event) => /** @type {CustomEvent<string>} */ (event).detail;
  const chosenParts = () =>
    /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll(".sh-parts :checked")]).map((box) => box.value);

  // The values of the controls belong to Gradio, which hands them over on request.
  function gather(task) {
    waiting = task;
    trigger("gather");
  }

  async function copy(names) {
    const { href, words } = link(props.tab, names);
    const copied = await copyToClipboard(href);
    byHand.hidden = copied;
    if (!copied) {
      field.value = href;
      field.focus();
      field.select();
    }
    const done = !copied
      ? t("The browser does not allow copying: press Ctrl+C.")
      : names.length
        ? t("Link copied. It opens the page without these parts.")
        : t("Link copied. It opens this view.");
    status.textContent = [done, ...words].join(" ");
  }

  function show() {
    const { href, words } = link(props.tab, chosenParts());
    status.textContent = words.join(" ");
    if (preview.value === href) return;
    preview.value = href;
    code.hidden = true;
    clearTimeout(coding);
    coding = setTimeout(() => showCode(href).catch(console.error), QUIET_MILLISECONDS);
  }

  /** @param {string} href */
  async function showCode(href) {
    const { image = "", refused = "" } = await server.qr_code({ text: href });
    if (preview.value !== href) return;
    if (image) Object.assign(code, { src: image, alt: t("The link for a class as a QR code") });
    code.hidden = !image;
    noCode.textContent = refused;
  }

  /** @type {(properties: Record<string, any>, label: string, onChange: () => void) => HTMLElement} */
  function option(properties, label, onChange) {
    const input = Object.assign(make("input"), properties);
    input.addEventListener("change", () => {
      onChange();
      gather(show);
    });
    return make("label", "", input, t(label));
  }

  function drawParts() {
    const parts = partsOf(props.tab).map(([name, label]) =>
      option({ type: "checkbox", value: name }, label, () => choosePreset(chosenParts())),
    );
    const presets = presetsOf(props.tab).map(([label, names]) =>
      option({ type: "radio", name: `sh-preset-${props.tab}`, value: names.join(",") }, label, () => tick(names)),
    );
    find(root, ".sh-parts").replaceChildren(...parts);
    find(root, ".sh-presets").replaceChildren(...presets);
    choosePreset([]);
  }

  const inputs = (selector) => /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll(selector));

  /** @param {string[]} names of the parts to hide */
  function tick(names) {
    for (const box of inputs(".sh-parts input")) box.checked = names.includes(box.value);
  }

  /** @param {string[]} names of the hidden parts; chooses the preset with just these, if there is one */
  function choosePreset(names) {
    for (const radio of inputs(".sh-presets input")) radio.checked = radio.value === names.join(",");
  }

  if (props.files) waitFor(props.files).then((files) => find(root, ".sh-files").append(files), console.error);
  find(root, ".sh-copy").addEventListener("click", () => gather(() => copy([])));
  find(root, ".sh-copy-class").addEventListener("click", () => gather(() => copy(chosenParts())));
  find(root, ".sh-class").addEventListener("toggle", (event) => {
    if (!targetOf(event, HTMLDetailsElement)?.open) return;
    if (!find(root, ".sh-parts").childNodes.length) drawParts();
    gather(show);
  });
  preview.addEventListener("focus", () => preview.select());
  field.addEventListener("focus", () => field.select());
  document.addEventListener("unrolled:gather", (event) => {
    if (tabOf(event) === props.tab) trigger("gather");
  });
  document.addEventListener("unrolled:gathered", (event) => {
    if (tabOf(event) !== props.tab || !waiting) return;
    const task = waiting;
    waiting = null;
    Promise.resolve(task()).catch((error) => {
      console.error(error);
      status.textContent = t("No link could be made. Reload the page, then try again.");
    });
  });
}
