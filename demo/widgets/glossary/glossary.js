// @ts-check
// The glossary: explains the terms on the page, and lists them all, with a search field, behind the button with the
// question mark.
import { find, make, makeButton, makeFact } from "../view/dom.js";
import { t } from "../view/translate.js";
import { MARK, markTerms } from "./marks.js";
import { createFinder, search } from "./terms.js";
import { createTooltip } from "./tooltip.js";

/** @import { Term } from "./terms.js" */

const LATE_MILLISECONDS = 1500; // time after the page's start, when more important scripts are loaded

/**
 * @param {Element} root
 * @param {Term[]} terms
 */
export function explainTerms(root, terms) {
  const findTerms = createFinder(terms);
  createTooltip(terms, MARK, findTerms);
  markTerms(root, findTerms);
}

/** @param {Record<string, string>} addresses of the terms, by language */
export function startGlossary(addresses) {
  /** @type {Promise<Term[]> | undefined} */
  let loading;
  const load = () => {
    const address = addresses[document.documentElement.lang.split("-")[0]] ?? addresses.en;
    loading ??= fetch(new URL(address, document.baseURI)).then((answer) => answer.json());
    return loading;
  };
  createList(load);
  const explain = async () => explainTerms(document.body, await load());
  setTimeout(() => explain().catch(console.error), LATE_MILLISECONDS);
}

const BUTTON = ".glossary-open";

/** @param {() => Promise<Term[]>} load */
function createList(load) {
  const panel = make("div", "gl-list");
  const [field, entries, count] = [make("input"), make("dl"), make("p")];
  /** @type {Term[]} */
  let terms = [];

  function build() {
    const close = makeButton("gl-close", hide, "×");
    close.setAttribute("aria-label", t("Close"));
    field.type = "search";
    field.setAttribute("aria-label", t("Search the glossary"));
    field.placeholder = t("Search the glossary");
    field.addEventListener("input", fill);
    const introduction = leavingBy(t("What you see on the Decode tab"), () => {
      document.dispatchEvent(new CustomEvent("unrolled:introduce"));
    });
    const learn = /** @type {HTMLElement | null} */ (document.querySelector('[role=tablist] [data-tab-id="learn"]'));
    const questions = leavingBy(t("Questions to begin with"), () => learn?.click());
    questions.hidden = !learn;
    count.setAttribute("role", "status");
    entries.tabIndex = 0;
    entries.setAttribute("aria-label", t("Glossary"));
    const version = make("small", "gl-version", `Unrolled ${button().dataset.version ?? ""}`);
    version.translate = false;
    const head = make("header", "", make("h2", "", t("Glossary")), version, close);
    panel.append(head, introduction, questions, field, count, entries);
    Object.assign(panel, { id: "glossary", hidden: true });
    panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", t("Glossary"));
    panel.addEventListener("keydown", (event) => {
      event.stopPropagation(); // these keys would be shortcuts of the page
      if (event.key === "Escape") hide();
    });
    document.body.append(panel);
  }

  /** @type {(text: string, act: () => void) => HTMLButtonElement} a button that leads elsewhere */
  function leavingBy(text, act) {
    const button = makeButton("gl-introduction", hide, text);
    button.addEventListener("click", act);
    return button;
  }

  function fill() {
    const matches = search(terms, field.value);
    const facts = matches.map(([forms, meaning]) => makeFact(forms[0], meaning, forms.slice(1).join(", ")));
    entries.replaceChildren(...facts);
    count.textContent = matches.length === 1 ? t("1 term") : t("{count} terms", { count: matches.length });
  }

  const button = () => find(document, BUTTON);

  async function show() {
    if (!panel.isConnected) build();
    const anchor = button().getBoundingClientRect();
    const page = document.body.getBoundingClientRect();
    panel.style.top = `${anchor.bottom - page.top + 6}px`;
    panel.hidden = false;
    button().setAttribute("aria-expanded", "true");
    field.value = "";
    field.focus();
    terms = await load();
    fill();
  }

  function hide() {
    panel.hidden = true;
    button().setAttribute("aria-expanded", "false");
    button().focus();
  }

  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || !target.closest(BUTTON)) return;
    if (panel.isConnected && !panel.hidden) hide();
    else show().catch(console.error);
  });
}
