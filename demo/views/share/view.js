// @ts-check
// “Copy link”, and a link for a class that leaves parts out. The link itself is made by links.js.

import { partsOf } from "../page/links/hide.js";
import { link } from "../page/links/links.js";
import { there } from "../page/there.js";
import { find, findAll, targetOf } from "../shared/dom.js";
import { copyToClipboard } from "../shared/exports/clipboard.js";
import { t } from "../shared/translate.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, _watch, trigger) {
  const root = find(element, ".share");
  const [said, byHand] = findAll(root, ".sh-said", ".sh-by-hand");
  const field = find(root, ".sh-link", HTMLInputElement);
  const preview = find(root, ".sh-preview", HTMLTextAreaElement);
  /** @type {(() => unknown) | null} */
  let waiting = null; // what to do once the controls have been read

  /** @param {Event} event */
  const tabOf = (event) => /** @type {CustomEvent<string>} */ (event).detail;
  const hidden = () =>
    /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll(".sh-parts :checked")]).map((box) => box.value);

  // The values of the controls are Gradio's: it hands them over on request.
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
      ? t("The browser keeps the clipboard to itself: press Ctrl+C.")
      : names.length
        ? t("Link copied. It opens the page without these parts.")
        : t("Link copied. It opens this view.");
    said.textContent = [done, ...words].join(" ");
  }

  function show() {
    const { href, words } = link(props.tab, hidden());
    preview.value = href;
    said.textContent = words.join(" ");
  }

  function drawParts() {
    find(root, ".sh-parts").replaceChildren(
      ...partsOf(props.tab).map(([name, label]) => {
        const line = document.createElement("label");
        const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
        box.addEventListener("change", () => gather(show));
        line.append(box, t(label));
        return line;
      }),
    );
  }

  if (props.files) there(props.files).then((files) => find(root, ".sh-files").append(files), console.error);
  find(root, ".sh-copy").addEventListener("click", () => gather(() => copy([])));
  find(root, ".sh-copy-class").addEventListener("click", () => gather(() => copy(hidden())));
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
      said.textContent = t("No link could be made. Reload the page, then try again.");
    });
  });
}
