// @ts-check
// One checkpoint as a row: its quality, its task, and its card on demand.

import { query } from "../../links/scripts/links.js";
import { copyToClipboard } from "../../widgets/exports/copying.js";
import { make, makeButton, makeFact } from "../../widgets/view/dom.js";
import { wordsOf } from "../../widgets/view/filter.js";
import { markdownNodes } from "../../widgets/view/markdown.js";
import { reveal } from "../../widgets/view/scrolling.js";
import { t } from "../../widgets/view/translate.js";

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
export function createItem(checkpoint, { chapter, number, open }) {
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
