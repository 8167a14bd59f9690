// @ts-check
// Wiring: shows a value in one of two views, and asks the server for the row that the reader opens.

import { notice } from "../../links/notice/view.js";
import { formOf } from "../../links/scripts/links.js";
import { settings } from "../../links/scripts/settings.js";
import { isOpening } from "../../links/scripts/visit.js";
import { isCarrying } from "../../page/scripts/carry.js";
import { functionsOf } from "../../page/scripts/late_elements.js";
import { createAnswerView } from "../../widgets/answers/answer_view.js";
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { pngBlob, svgBlob } from "../../widgets/charts/svg.js";
import { csvText, offer, saveButton } from "../../widgets/exports/files.js";
import { find, isHidden, make, setText } from "../../widgets/view/dom.js";
import { reveal } from "../../widgets/view/scrolling.js";
import { t } from "../../widgets/view/translate.js";
import { pairTable, rowsTable } from "./columns.js";
import { createBelonging, matchesComparison } from "./form.js";
import { createPair } from "./pair.js";
import { pairPicture, rowsPicture } from "./picture.js";
import { createTable } from "./table.js";
import { sourceText } from "./texts.js";
import { createVerdict } from "./verdict.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".compare");
  const current = { value: /** @type {any} */ (null) };
  /** @type {Record<string, any> | null} */
  let pending = null; // the view that a link asks for
  let isPageRun = false; // whether the page, not the reader, started the next run
  let pageRun = ""; // the id of that run
  let stopped = ""; // the run that the reader stopped, of which later results are not drawn

  // A reference that belongs to an earlier text is put aside, and the page says so.
  const belonging = createBelonging();
  const asideNotice = find(root, ".cp-left");
  let aside = "";

  // Opens a row in full; with `isLost` at the step where the search lost a better output.
  async function open(row, isLost = false) {
    root.dataset.open = String(row.id);
    find(root, ".cp-opened").textContent = t("{name} in full", { name: row.name ?? row.title });
    if (current.value.kind === "strategies") table.open(row.id);
    else pair.load(current.value);
    const isGivenAway = ["verdict", "reference", "probabilities"].some(isHidden);
    root.dataset.opened = JSON.stringify({ ...row.request, ...(isGivenAway && { better: [] }) }); // the handler reads it
    if (isLost) (await functionsOf("#compare-trace .trace-view")).restore({ open: "tree", lost: true }, true);
    trigger("open", {});
    revealOpened();
  }

  // The decoding appears below, in a trace view of its own.
  function revealOpened() {
    reveal(find(root, ".cp-opened"), document.getElementById("compare-trace") ?? root);
  }

  const table = createTable(root, open);
  const verdict = createVerdict(root);
  const pair = createPair(root, open);

  // The curve of the beam widths, if the rows have several; otherwise a button that adds them.
  const [curve, wider] = [find(root, ".cp-curve"), find(root, ".cp-wider", HTMLButtonElement)];
  /** @type {ReturnType<typeof createAnswerView> | undefined} */
  let chart;
  wider.addEventListener("click", () => trigger("widen", {}));

  function drawCurve(value) {
    curve.hidden = !value.curve;
    wider.hidden = !value.wider;
    setText(wider, value.wider?.label ?? "");
    if (!value.curve) return;
    chart ??= createAnswerView(root, curve, () => loadPlotly(props.plotly_source), {
      name: () => "comparison-widths",
      about: () => [
        [t("checkpoint"), current.value.checkpoint],
        [t("source"), sourceText(current.value.request.text)],
      ],
      dark: () => props.dark,
      choose() {},
    });
    chart.show(value.curve);
  }

  function picture() {
    const { value } = current;
    const family = "Helvetica, Arial, sans-serif"; // a picture file has only the fonts of its reader
    return value.kind === "strategies"
      ? rowsPicture(value, table.sorted(), table.baseline(), props.palette, family)
      : pairPicture(value, pair.pinned(), props.palette, family);
  }

  /** @type {Record<string, [hint: string, save: () => unknown]>} */
  const FILES = {
    CSV: [
      t("Download all rows and columns for a spreadsheet"),
      async () => {
        const { value } = current;
        const lines =
          value.kind === "strategies" ? rowsTable(value, table.sorted(), table.baseline()) : pairTable(value);
        offer(csvText(lines), "text/csv;charset=utf-8", "unrolled-comparison.csv");
      },
    ],
    PNG: [
      t("Download the comparison as a picture"),
      async () => offer(await pngBlob(picture()), "image/png", "unrolled-comparison.png"),
    ],
    SVG: [
      t("Download the comparison as a drawing"),
      async () => offer(svgBlob(picture()), "image/svg+xml", "unrolled-comparison.svg"),
    ],
  };

  for (const group of root.querySelectorAll(".cp-files"))
    group.append(...Object.entries(FILES).map(([name, [hint, save]]) => saveButton("cp-file", name, hint, save)));

  function load() {
    const { value } = props;
    if (value && value.run === stopped && !value.finished) return;
    current.value = value;
    root.dataset.kind = value?.kind ?? "none";
    mark();
    if (!value) return;
    root.dispatchEvent(new CustomEvent("unrolled:answered", { bubbles: true }));
    if (isPageRun) pageRun = value.run;
    isPageRun = false;
    const request = JSON.stringify(value.request);
    if (root.dataset.request !== request) Object.assign(root.dataset, { request, open: "" });
    root.dataset.running = String(!value.finished);
    const none = value.finished ? t("Nothing was decoded: each row says why.") : t("Decoding.");
    const sentences = value.summary.length || value.caption ? value.summary : [none];
    find(root, ".cp-summary ul").replaceChildren(...sentences.map((sentence) => setText(make("li"), sentence)));
    find(root, ".cp-summary h3").textContent =
      value.kind === "strategies" ? t("Who made which mistake") : t("What differs");
    if (!root.dataset.open) find(root, ".cp-opened").textContent = "";
    draw(value);
    if (!value.finished) return;
    if (pending) restoreNow();
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
    if (value.run !== pageRun)
      root.dispatchEvent(new CustomEvent("unrolled:shown", { bubbles: true, detail: "result" }));
  }

  function draw(value) {
    if (value.kind === "strategies") {
      belonging.compared(value.run, value.request);
      verdict.load(value);
      table.load(value);
    } else pair.load(value);
    drawCurve(value);
  }

  function stop() {
    const { value } = current;
    if (!value || value.finished) return;
    stopped = value.run;
    for (const row of value.rows ?? value.sides)
      if (row.state === "running" || row.state === "waiting") row.state = "stopped";
    root.dataset.running = "false";
    draw(value);
  }

  function pairToCompare(text, reference) {
    isPageRun = false; // the reader started it
    const used = belonging.belongingReference({ text, reference });
    aside = used === reference ? "" : reference;
    asideNotice.hidden = !aside;
    return [text, used];
  }

  // The arguments for the same text at every beam width, whatever the form contains by now.
  function wideArguments() {
    isPageRun = false;
    const { request, wider } = current.value;
    const { checkpoint, text, reference } = request;
    return ["strategies", checkpoint, checkpoint, text, reference, wider.strategies];
  }

  find(asideNotice, "button").addEventListener("click", () => {
    asideNotice.hidden = true;
    trigger("keep", {});
    /** @type {HTMLElement | null} */ (document.querySelector("#compare-reference textarea"))?.focus();
  });

  // The view of the comparison for a link; `restore` applies one when the last row is done.
  function read() {
    if (!current.value) return { values: {}, words: [] };
    const opened = root.dataset.open && { opened: Number(root.dataset.open) + 1 };
    return { values: { ...(current.value.kind === "strategies" ? table : pair).read(), ...opened }, words: [] };
  }

  function restoreNow() {
    const { value } = current;
    const view = pending ?? {};
    pending = null;
    const faults = [];
    (value.kind === "strategies" ? table : pair).restore(view, faults);
    if (view.opened) {
      const row = value.kind === "strategies" ? value.rows[view.opened - 1] : value.sides[view.opened - 1];
      if (row?.state === "done") open(value.kind === "strategies" ? row : { id: view.opened - 1, ...row });
      else faults.push(t("The link opens row {row}, and there is nothing in it.", { row: view.opened }));
    }
    notice(faults).catch(console.error);
  }

  // The page's script calls these.
  Object.assign(root, {
    unrolled: {
      read,
      stop,
      revealOpened,
      pairToCompare,
      wideArguments,
      filledIn: (/** @type {string} */ text, /** @type {string} */ reference) =>
        belonging.filledIn({ text, reference }),
      aside: () => aside,
      carry: (/** @type {object} */ sentence) => trigger("carry", sentence),
      restore: (/** @type {Record<string, any>} */ view) => {
        pending = view;
      },
    },
  });

  watch("value", load);
  load();

  // The result stays until the next one arrives; it is marked if the form asks for something else.
  function mark() {
    const form = formOf("compare");
    const isStale = form && current.value && !matchesComparison(form, current.value.request, settings().defaults);
    root.dataset.stale = String(Boolean(isStale));
  }
  document.addEventListener("unrolled:gathered", mark);

  // When the view is first seen, it asks for an example.
  new IntersectionObserver(
    (entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      if (current.value || isOpening("compare") || isCarrying()) return;
      isPageRun = true;
      trigger("shown", {});
    },
    { rootMargin: "3000px" },
  ).observe(root);
}
