// @ts-check
// The chapters and their checkpoints. Text enters the page through textContent alone.
import { notice } from "../../links/notice/view.js";
import { query } from "../../links/scripts/links.js";
import { createAnswerView } from "../../widgets/answers/answer_view.js";
import { loadPlotly } from "../../widgets/charts/plotly.js";
import { copyToClipboard } from "../../widgets/exports/copying.js";
import { find, make, makeButton, makeFact } from "../../widgets/view/dom.js";
import { fits, wordsOf } from "../../widgets/view/filter.js";
import { markdownNodes } from "../../widgets/view/markdown.js";
import { reveal } from "../../widgets/view/scrolling.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Shown } from "../../widgets/answers/answer_view.js" */
/** @import { LoadPlotly } from "../../widgets/charts/plotly.js" */
/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".gallery");
  const typed = find(root, ".cg-filter", HTMLInputElement);
  const choice = find(root, ".cg-chapter-choice", HTMLSelectElement);
  let latest = 0;
  /** @type {{ node: HTMLElement, section: string, items: ReturnType<typeof createItem>[] }[]} */
  let chapters = [];
  /** @type {Record<string, any> | null} */
  let pending = null; // the view that a link asks for

  function filter() {
    let total = 0;
    for (const { node, section, items } of chapters) {
      for (const item of items) item.node.hidden = !fits(item.words, typed.value);
      const matching = items.filter((item) => !item.node.hidden).length;
      node.hidden = !matching || !["", section].includes(choice.value);
      total += node.hidden ? 0 : matching;
    }
    const all = chapters.reduce((sum, { items }) => sum + items.length, 0);
    find(root, ".cg-count").textContent =
      total === all ? "" : t("{shown} of {all} checkpoints", { shown: String(total), all: String(all) });
  }

  function unfilter() {
    typed.value = choice.value = "";
    filter();
  }

  typed.addEventListener("keydown", (event) => event.stopPropagation()); // these keys would be shortcuts of the page
  typed.addEventListener("input", filter);
  choice.addEventListener("change", filter);

  // Shows what a link asks for: a checkpoint with its card, or a section.
  function restoreNow() {
    const { checkpoint, section } = pending ?? {};
    pending = null;
    unfilter();
    // The shelf of the Hub may hide the gallery.
    /** @type {HTMLElement | null} */ (document.querySelector('#shelf-switch input[value="here"]'))?.click();
    const item = chapters.flatMap(({ items }) => items).find(({ node }) => node.dataset.name === checkpoint);
    const part =
      section === "quality"
        ? find(root, ".cg-measured")
        : chapters.find((chapter) => chapter.section === section)?.node;
    item?.unfold();
    if (section && !part) {
      const names = [...chapters.map((chapter) => chapter.section), "quality"].join(", ");
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

  Object.assign(root, { unrolled: { restore } }); // the page's script calls it

  function chapterOf({ section, title, intro, checkpoints }, chapterIndex) {
    const open = (name) => trigger("open", { name });
    const items = checkpoints.map((checkpoint, index) =>
      createItem(checkpoint, { chapter: title, number: 1000 * chapterIndex + index, open }),
    );
    const list = make("ul", "tv-card cg-items", ...items.map((item) => item.node));
    const head = make("div", "cg-head", make("h2", "", title), make("p", "cg-intro", intro));
    const node = make("div", "cg-chapter", head, list);
    node.dataset.section = section;
    return { node, section, items };
  }

  // Keeps the chosen chapter as long as it exists.
  function offerChapters(offered) {
    const before = choice.value;
    const options = offered.map(({ title, section }) => new Option(title, section));
    choice.replaceChildren(new Option(t("All chapters"), ""), ...options);
    choice.value = offered.some(({ section }) => section === before) ? before : "";
  }

  async function draw() {
    if (!props.value) return;
    latest += 1;
    const turn = latest;
    const { chapters: offered, charts, problems, dark } = JSON.parse(props.value);
    root.dataset.state = "shown";
    find(root, ".cg-empty").textContent = offered.length
      ? ""
      : t("There is no checkpoint here. Train one, or copy one into the folder of checkpoints.");
    find(root, ".cg-tools").hidden = !offered.length;
    chapters = offered.map(chapterOf);
    find(root, ".cg-chapters").replaceChildren(...chapters.map(({ node }) => node));
    offerChapters(offered);
    filter();
    find(root, ".cg-problems").replaceChildren(...problems.map((text) => make("li", "cg-problem", text)));
    find(root, ".cg-measured").hidden = !charts.length && !problems.length;
    // Plotly is fetched only if there are charts.
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

/**
 * Puts answers on quality against source length into the container, each with a table to unfold; resolves when all charts are drawn.
 * @param {HTMLElement} root of the view
 * @param {HTMLElement} container
 * @param {(Shown & { name: string, numbers: string })[]} answers `numbers`: the title of the table
 * @param {Record<string, string>} dark colours of the dark page
 * @param {LoadPlotly} plotly
 */
async function drawCharts(root, container, answers, dark, plotly) {
  const template = find(root, ".cg-answer", HTMLTemplateElement);
  const cards = answers.map(({ numbers }) => {
    const card = make("div", "tv-card cg-chart", template.content.cloneNode(true));
    const parts = [find(card, ".tv-inspect-table"), find(card, ".tv-inspect-files")];
    card.append(make("details", "cg-numbers", make("summary", "", numbers), ...parts));
    return card;
  });
  container.replaceChildren(...cards);
  await Promise.all(
    answers.map((answer, index) =>
      createAnswerView(root, cards[index], plotly, {
        name: () => answer.name,
        dark: () => dark,
        choose() {},
      }).show(answer),
    ),
  );
}

// Copies a link that opens this tab with this card unfolded.
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

function qualityOf(quality) {
  const node = make("p", "cg-quality");
  if (quality) node.append(make("b", "", quality.value), " ", make("span", "", quality.name));
  return node;
}

// Fills the card when it is first opened.
function fillCard(card, { name, facts, body }) {
  const list = make("dl", "cg-facts", ...facts.map((fact) => makeFact(fact.name, fact.value, fact.note)));
  const text = make("div", "cg-body", ...markdownNodes(body.replace(/^#\s+.*\n/, "")));
  card.append(make("div", "cg-side", list, linkButton(name)), text);
}

// The card, and the button that unfolds it.
function cardOf(checkpoint, number) {
  const card = make("div", "cg-card");
  card.id = `cg-card-${number}`;
  card.hidden = true;
  const button = makeButton("cg-more", () => {
    unfold(card.hidden);
    if (!card.hidden) reveal(button, card);
  });
  button.textContent = t("The whole card");
  button.setAttribute("aria-label", t("The whole card of {name}", { name: checkpoint.name }));
  button.setAttribute("aria-controls", card.id);

  function unfold(open) {
    if (open && !card.childNodes.length) fillCard(card, checkpoint);
    card.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  }
  unfold(false);
  return { button, card, unfold };
}

/**
 * @param {Record<string, any>} checkpoint of the payload
 * @param {{ chapter: string, number: number, open: (name: string) => void }} context
 *   the chapter's title; the row's number, for element ids; the action of its button
 */
function createItem(checkpoint, { chapter, number, open }) {
  const { name, title = name, summary, lesson, quality, network, size, facts, problem } = checkpoint;
  const node = make("li", "cg-item");
  node.dataset.name = name;
  const heading = make("h3", "", title);
  heading.translate = false; // a name, in which no term is explained
  const main = make("div", "cg-main", heading);
  if (problem) {
    main.append(make("p", "cg-problem", problem));
    node.append(main);
    return { node, words: wordsOf([name, chapter]), unfold: () => {} };
  }
  main.append(" ", make("p", "cg-summary", summary));
  if (lesson) main.append(make("p", "cg-lesson", lesson));
  const brief = make("p", "cg-brief", make("span", "", network), make("small", "", size));
  const opener = makeButton("cg-open", () => open(name), t("Open in Decode"));
  opener.setAttribute("aria-label", t("Open {name} in Decode", { name }));
  const { button, card, unfold } = cardOf(checkpoint, number);
  node.append(qualityOf(quality), main, brief, make("div", "cg-buttons", opener, button), card);
  const words = [title, summary, lesson, chapter, ...facts.flatMap((fact) => [fact.name, fact.value, fact.note])];
  return { node, words: wordsOf(words), unfold: () => unfold(true) };
}
