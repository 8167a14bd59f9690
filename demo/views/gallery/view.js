// @ts-check
// The chapters and their checkpoints. Text enters the page through textContent alone.
import { notice } from "../link_notice/notice.js";
import { copyToClipboard } from "../page/clipboard.js";
import { query } from "../page/links.js";
import { loadPlotly } from "../shared/charts.js";
import { find, make, makeButton, makeFact } from "../shared/dom.js";
import { markdownNodes } from "../shared/markdown.js";
import { t } from "../shared/translate.js";
import { drawCharts } from "./charts.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".gallery");
  let latest = 0;
  /** @type {Record<string, any> | null} */
  let pending = null; // what a link wants to be seen

  function lessonOf(text) {
    const lesson = make("p", "cg-lesson");
    lesson.append(make("b", "", `${t("What it shows.")} `), text);
    return lesson;
  }

  // The card is made when it is first opened; its title is already there.
  function cardOf({ name, body }) {
    const details = make("details", "cg-card");
    const text = make("div", "cg-body");
    const summary = make("summary", "", t("The whole card"));
    summary.setAttribute("aria-label", t("The whole card of {name}", { name }));
    details.append(summary, text);
    details.addEventListener("toggle", () => {
      if (!text.childNodes.length) text.append(...markdownNodes(body.replace(/^#\s+.*\n/, "")));
      if (details.open) details.closest("li")?.scrollIntoView({ block: "nearest", behavior: "smooth" });
    });
    return details;
  }

  function itemOf(checkpoint) {
    const { name, summary, lesson, facts, problem } = checkpoint;
    const item = make("li", "tv-card cg-item");
    item.dataset.name = name;
    item.append(make("h3", "", name));
    if (problem) {
      item.append(make("p", "cg-problem", problem));
      return item;
    }
    item.append(make("p", "cg-summary", summary));
    if (lesson) item.append(lessonOf(lesson));
    const list = make("dl", "cg-facts");
    list.append(...facts.map((fact) => makeFact(fact.name, fact.value, fact.note)));
    const open = makeButton("cg-open", () => trigger("open", { name }));
    open.textContent = t("Open in Decode");
    open.setAttribute("aria-label", t("Open {name} in Decode", { name }));
    const buttons = make("div", "cg-buttons");
    buttons.append(open, linkButton(name));
    item.append(list, buttons, cardOf(checkpoint));
    return item;
  }

  // A link that opens this tab with this card unfolded.
  function linkButton(name) {
    const button = makeButton("cg-link", async () => {
      const url = new URL(window.location.href);
      url.search = query("checkpoints", { checkpoint: name });
      if (await copyToClipboard(url.href)) {
        button.textContent = t("Link copied");
        return;
      }
      const field = make("input", "cg-by-hand");
      Object.assign(field, { readOnly: true, value: url.href, title: t("Copy it from here: Ctrl+C") });
      button.replaceWith(field);
      field.select();
    });
    button.textContent = t("Copy link");
    button.setAttribute("aria-label", t("Copy a link to {name}", { name }));
    return button;
  }

  // What a link wants to be seen: a checkpoint with its card, or a section.
  function restoreNow() {
    const { checkpoint, section } = pending ?? {};
    const [items, chapters] = [".cg-item", ".cg-chapter"].map(
      (selector) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]),
    );
    const item = items.find((each) => each.dataset.name === checkpoint);
    const part =
      section === "quality" ? find(root, ".cg-measured") : chapters.find((each) => each.dataset.section === section);
    pending = null;
    const card = item?.querySelector("details");
    if (card) card.open = true;
    if (section && !part) {
      const names = [...chapters.map((each) => each.dataset.section), "quality"].join(", ");
      notice([
        t("There is no section {name} among the checkpoints; there are: {names}.", { name: section, names }),
      ]).catch(console.error);
    }
    const target = item ?? part;
    if (target) requestAnimationFrame(() => target.scrollIntoView({ block: "start" }));
  }

  /** @param {Record<string, any>} view */
  function restore(view) {
    pending = view;
    if (Number(root.dataset.ready)) restoreNow();
  }

  Object.assign(root, { unrolled: { restore } }); // for the script of the page

  function chapterOf({ section, title, intro, checkpoints }) {
    const chapter = make("div", "cg-chapter");
    chapter.dataset.section = section;
    const list = make("ul", "cg-items");
    list.append(...checkpoints.map(itemOf));
    chapter.append(make("h2", "", title), make("p", "cg-intro", intro), list);
    return chapter;
  }

  async function draw() {
    if (!props.value) return;
    latest += 1;
    const turn = latest;
    const { chapters, charts, problems, dark } = JSON.parse(props.value);
    root.dataset.state = "shown";
    find(root, ".cg-empty").textContent = chapters.length
      ? ""
      : t("There is no checkpoint here. Train one, or copy one into the folder of checkpoints.");
    find(root, ".cg-chapters").replaceChildren(...chapters.map(chapterOf));
    find(root, ".cg-problems").replaceChildren(...problems.map((text) => make("li", "cg-problem", text)));
    find(root, ".cg-measured").hidden = !charts.length && !problems.length;
    // Plotly is fetched for whoever has a chart to see.
    if (charts.length) await drawCharts(root, find(root, ".cg-charts"), charts, dark, loadPlotly(props.plotly_source));
    else find(root, ".cg-charts").replaceChildren();
    if (pending && props.value) restoreNow();
    if (turn === latest) root.dataset.ready = String(Number(root.dataset.ready) + 1);
  }

  const report = (error) => console.error(error);
  watch("value", () => draw().catch(report));
  draw().catch(report);
}
