// @ts-check
// The last results of the visit as a list of buttons, and results from files; address.js stores and shows them.

import { announce } from "../../links/notice/view.js";
import {
  currentResult,
  currentTabName,
  keepSource,
  openResult,
  recentResults,
  reopen,
} from "../../links/scripts/address.js";
import { formOf, titleOf } from "../../links/scripts/links.js";
import { pictureImage, pictureSource } from "../../widgets/pictures/pictures.js";
import { asData, find, make, makeButton, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { pack } from "./trace_file.js";

/** @import { Mount } from "../../widgets/view/mount.js" */
/** @import { Result } from "../scripts/recent_results.js" */

/** @param {string} text */
function source(text) {
  const picture = pictureSource(text);
  return picture ? pictureImage(picture, "", t("a picture")) : data("span", "", text);
}

/**
 * An element for data, which is not translated.
 * @type {(tag: keyof HTMLElementTagNameMap, className: string, text: string) => HTMLElement}
 */
const data = (tag, className, text) => asData(make(tag, className, text));

/** @type {Mount} */
export function mount(element, _props, _watch, trigger, server) {
  const root = find(element, ".results");
  const list = find(root, ".rs-list");

  const status = find(root, ".rs-notice");
  const chip = /** @type {HTMLElement | null | undefined} */ (root.closest(".chip")?.querySelector(".chip-button"));

  function close() {
    setText(status, "");
    const focused = root.contains(document.activeElement);
    root.dispatchEvent(new CustomEvent("unrolled:close", { bubbles: true }));
    if (focused) chip?.focus();
  }

  /** @param {Result} result */
  function line(result) {
    const button = makeButton("rs-result", () => {
      close(); // now, because the list is redrawn with the result, which would lose the focus
      reopen(result.id);
    });
    button.append(
      source(result.request.text),
      make("span", "rs-request", result.labels.strategy),
      data("span", "rs-output", result.labels.output),
      data("span", "rs-request", titleOf(result.request.checkpoint, result.labels.checkpoint)),
    );
    const changes = [...(result.labels.constraints ?? []), ...(result.labels.edits ?? [])].join(" · ");
    if (changes) button.append(data("span", "rs-request rs-changes", changes));
    if (result === currentResult()) button.setAttribute("aria-current", "true");
    return make("li", "", button);
  }

  /** @param {Blob} file */
  async function open(file) {
    setText(status, "");
    const problem = await read(file);
    if (problem) showNotice(problem);
    else close();
  }

  /** Names the requests again that an earlier page stored in another language. */
  async function rename() {
    const { lang } = document.documentElement;
    for (const { request, labels } of recentResults()) {
      if (!labels.language || labels.language === lang) continue;
      const answer = await server.describe?.(request.settings);
      if (!answer?.name) continue;
      Object.assign(labels, { strategy: answer.name, constraints: answer.constraints, language: lang });
    }
    draw();
  }

  /** @param {string} sentence */
  function showNotice(sentence) {
    if (chip?.getAttribute("aria-expanded") === "false") chip.click();
    setText(status, sentence);
  }

  let isFilling = false;
  let next = /** @type {object | null} */ (null); // the latest of the waiting requests; earlier ones are dropped

  // One at a time: answers may come in any order, and if two come together Gradio delivers one twice.
  /** @param {object} request for the controls */
  function fill(request) {
    if (isFilling) {
      next = request;
      return;
    }
    isFilling = true;
    trigger("reopen", request);
  }

  /** @param {{ run: boolean, notice: string }} [answer] of the server; none if the controls could not be filled in */
  function onFilled(answer) {
    const queued = next;
    isFilling = false;
    next = null;
    if (queued) return fill(queued);
    if (answer?.notice) showNotice(answer.notice);
    if (answer?.run) document.getElementById("run")?.click();
  }

  /**
   * Called when the form has been filled in for a checkpoint that the reader chose.
   * @param {{ checkpoint: string | null, run: boolean, notice?: string,
   *   kept: { checkpoint: string, label: string, text: string } | null }} answer
   */
  function checkpointFilled({ checkpoint, run, kept, notice: sentence = "" }) {
    if (checkpoint !== null && checkpoint !== formOf("decode")?.checkpoint) return; // the reader has chosen another
    if (kept) keepSource(kept);
    announce(sentence).catch(console.error);
    if (run) document.getElementById("run")?.click();
  }

  /**
   * @param {Blob} file
   * @returns {Promise<string>} why it cannot be shown, or an empty text
   */
  async function read(file) {
    try {
      const { payload, problem } = await server.read_trace_file(await pack(file));
      if (payload) await openResult(JSON.parse(payload));
      return problem ?? "";
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      console.warn(error);
      return t("The file could not be read. Try again in a minute.");
    }
  }

  const choice = find(root, ".rs-open input", HTMLInputElement);
  find(root, ".rs-open button").addEventListener("click", () => choice.click());
  choice.addEventListener("change", () => {
    const file = choice.files?.[0];
    choice.value = ""; // the same file can then be chosen again
    if (file) open(file);
  });
  acceptDrops(open);

  const draw = () => list.replaceChildren(...recentResults().map(line));
  Object.assign(root, { unrolled: { checkpointFilled, fill, onFilled } });
  document.addEventListener("unrolled:results", draw);
  draw();
  rename().catch(console.error);
}

/**
 * Opens a file that is dropped anywhere on the first tab.
 * @param {(file: File) => void} open
 */
function acceptDrops(open) {
  const page = document.documentElement.dataset;
  /** @param {DragEvent} event */
  const carriesFile = (event) => Boolean(event.dataTransfer?.types.includes("Files")) && currentTabName() === "decode";

  document.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault(); // the browser would leave the page and open the file
    page.dropping = "true";
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) delete page.dropping;
  });
  document.addEventListener("drop", (event) => {
    delete page.dropping;
    if (!carriesFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) open(file);
  });
}
