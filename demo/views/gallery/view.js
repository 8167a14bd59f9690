// @ts-check
// The chapters and their checkpoints. Text enters the page through textContent alone.
import { notice } from "../link_notice/notice.js";
import { loadPlotly } from "../shared/charts/plotly.js";
import { find, make } from "../shared/dom.js";
import { fits } from "../shared/filter.js";
import { reveal } from "../shared/reveal.js";
import { t } from "../shared/translate.js";
import { drawCharts } from "./charts.js";
import { createItem } from "./item.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".gallery");
  const typed = find(root, ".cg-filter", HTMLInputElement);
  const choice = find(root, ".cg-chapter-choice", HTMLSelectElement);
  let latest = 0;
  /** @type {{ node: HTMLElement, section: string, items: ReturnType<typeof createItem>[] }[]} */
  let chapters = [];
  /** @type {Record<string, any> | null} */
  let pending = null; // what a link wants to be seen

  function filter() {
    let shown = 0;
    for (const { node, section, items } of chapters) {
      for (const item of items) item.node.hidden = !fits(item.words, typed.value);
      const seen = items.filter((item) => !item.node.hidden).length;
      node.hidden = !seen || !["", section].includes(choice.value);
      shown += node.hidden ? 0 : seen;
    }
    const all = chapters.reduce((sum, { items }) => sum + items.length, 0);
    find(root, ".cg-count").textContent =
      shown === all ? "" : t("{shown} of {all} checkpoints", { shown: String(shown), all: String(all) });
  }

  function unfilter() {
    typed.value = choice.value = "";
    filter();
  }

  typed.addEventListener("keydown", (event) => event.stopPropagation()); // the page has keys of its own
  typed.addEventListener("input", filter);
  choice.addEventListener("change", filter);

  // What a link wants to be seen: a checkpoint with its card, or a section.
  function restoreNow() {
    const { checkpoint, section } = pending ?? {};
    pending = null;
    unfilter();
    // What the Hub offers stands in the place of this.
    /** @type {HTMLElement | null} */ (document.querySelector('#shelf-switch input[value="here"]'))?.click();
    const item = chapters.flatMap(({ items }) => items).find(({ node }) => node.dataset.name === checkpoint);
    const part =
      section === "quality" ? find(root, ".cg-measured") : chapters.find((each) => each.section === section)?.node;
    item?.unfold();
    if (section && !part) {
      const names = [...chapters.map((each) => each.section), "quality"].join(", ");
      notice([
        t("There is no section {name} among the checkpoints; there are: {names}.", { name: section, names }),
      ]).catch(console.error);
    }
    const target = item?.node ?? part;
    if (target) reveal(target);
  }

  /** @param {Record<string, any>} view */
  function restore(view) {
    pending = view;
    if (Number(root.dataset.ready)) restoreNow();
  }

  Object.assign(root, { unrolled: { restore } }); // for the script of the page

  function chapterOf({ section, title, intro, checkpoints }, at) {
    const node = make("div", "cg-chapter");
    node.dataset.section = section;
    const open = (name) => trigger("open", { name });
    const items = checkpoints.map((each, place) =>
      createItem(each, { chapter: title, place: 1000 * at + place, open }),
    );
    const list = make("ul", "tv-card cg-items");
    list.append(...items.map((item) => item.node));
    const head = make("div", "cg-head");
    head.append(make("h2", "", title), make("p", "cg-intro", intro));
    node.append(head, list);
    return { node, section, items };
  }

  // A chapter that was chosen stays so while there is one.
  function offerChapters(told) {
    const before = choice.value;
    const option = (text, value) => Object.assign(make("option", "", text), { value });
    choice.replaceChildren(option(t("All chapters"), ""), ...told.map(({ title, section }) => option(title, section)));
    choice.value = told.some(({ section }) => section === before) ? before : "";
  }

  async function draw() {
    if (!props.value) return;
    latest += 1;
    const turn = latest;
    const { chapters: told, charts, problems, dark } = JSON.parse(props.value);
    root.dataset.state = "shown";
    find(root, ".cg-empty").textContent = told.length
      ? ""
      : t("There is no checkpoint here. Train one, or copy one into the folder of checkpoints.");
    find(root, ".cg-tools").hidden = !told.length;
    chapters = told.map(chapterOf);
    find(root, ".cg-chapters").replaceChildren(...chapters.map(({ node }) => node));
    offerChapters(told);
    filter();
    find(root, ".cg-problems").replaceChildren(...problems.map((text) => make("li", "cg-problem", text)));
    find(root, ".cg-measured").hidden = !charts.length && !problems.length;
    // Plotly is fetched for whoever has a chart to see.
    if (charts.length)
      await drawCharts(root, find(root, ".cg-charts"), charts, dark, () => loadPlotly(props.plotly_source));
    else find(root, ".cg-charts").replaceChildren();
    if (pending && props.value) restoreNow();
    if (turn === latest) root.dataset.ready = String(Number(root.dataset.ready) + 1);
  }

  const report = (error) => console.error(error);
  watch("value", () => draw().catch(report));
  draw().catch(report);
}
