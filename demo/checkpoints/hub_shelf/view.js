// @ts-check
// The search field, its result, and the list. Text enters the page through textContent alone.
import { find, isEnter, make, makeButton, makeFact } from "../../widgets/view/dom.js";
import { fits, wordsOf } from "../../widgets/view/filter.js";
import { reveal } from "../../widgets/view/scrolling.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".hub");
  const { free, models } = props.shelf;
  const [nameField, revisionField] = [".hb-name input", ".hb-revision input"].map((selector) =>
    find(root, selector, HTMLInputElement),
  );
  const askButton = find(root, ".hb-ask", HTMLButtonElement);
  let serial = 0;
  let latest = "";
  let extra = [];

  function send(name, data) {
    for (const card of [...cards, ...extra])
      if (card.repo === data.repo && ["fetch", "forgo"].includes(name)) card.wait(name === "fetch" ? "add" : "cancel");
    trigger(name, data);
  }

  const cards = models.map((model) => createHubCard(model, { free, send }));
  find(root, ".hb-items").append(...cards.map((card) => card.node));
  find(root, ".hb-lookup").hidden = !free;
  find(root, ".hb-filter").hidden = models.length < 9;

  function ask() {
    const repo = nameField.value.trim();
    if (!repo || askButton.disabled) return;
    askButton.disabled = true;
    find(root, ".hb-lookup .cg-problem").textContent = "";
    find(root, ".hb-asking").textContent = t("Asking the Hub.");
    trigger("lookup", { repo, revision: revisionField.value.trim() });
  }

  askButton.addEventListener("click", ask);
  for (const field of [nameField, revisionField]) {
    field.addEventListener("keydown", (event) => {
      event.stopPropagation(); // these keys would be shortcuts of the page
      if (isEnter(event)) ask();
    });
  }
  const filter = find(root, ".hb-filter input", HTMLInputElement);
  filter.addEventListener("keydown", (event) => event.stopPropagation());
  filter.addEventListener("input", () => {
    for (const card of cards) card.node.hidden = !fits(card.words, filter.value);
    find(root, ".hb-none").textContent = cards.every((card) => card.node.hidden)
      ? t("No model of this list fits.")
      : "";
  });

  // The models outside the list: the one that was looked up, and those that are here or being added.
  function others(state) {
    const repositories = new Set(cards.map((card) => card.repo));
    const names = new Set([...Object.keys(state.adding), ...Object.keys(state.here), ...Object.keys(state.problems)]);
    if (state.listing) names.add(state.listing.repo);
    return [...names]
      .filter((name) => !repositories.has(name) || state.listing?.repo === name)
      .sort((one) => (one === state.listing?.repo ? -1 : 1));
  }

  function describe(state, repo) {
    if (state.listing?.repo === repo) return state.listing;
    const page = `https://huggingface.co/${repo}`;
    return { repo, title: repo, note: "", page, facts: state.here[repo]?.facts ?? [] };
  }

  function draw() {
    if (!props.value) return;
    const state = JSON.parse(props.value);
    if (state.serial <= serial) return; // an older state
    serial = state.serial;
    const descriptions = others(state).map((repo) => describe(state, repo));
    const before = new Map(extra.map((card) => [card.key, card]));
    extra = descriptions.map((model) => {
      const key = JSON.stringify(model);
      return before.get(key) ?? Object.assign(createHubCard(model, { free, send }), { key });
    });
    const nodes = extra.map((card) => card.node);
    const container = find(root, ".hb-found");
    if (nodes.length !== container.children.length || nodes.some((node, index) => node !== container.children[index]))
      container.replaceChildren(...nodes);
    for (const card of [...extra, ...cards])
      card.update(state.adding[card.repo], state.here[card.repo], state.problems[card.repo]);
    const answer = JSON.stringify([state.listing, state.listingProblem]);
    askButton.disabled = false;
    find(root, ".hb-asking").textContent = "";
    find(root, ".hb-lookup .cg-problem").textContent = state.listingProblem;
    if (answer !== latest && state.listing && container.firstElementChild) reveal(container.firstElementChild);
    latest = answer;
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  }

  watch("value", draw);
  draw();
}

// One model as a card. An update changes texts only, so that the focus stays.
function createHubCard(model, { free, send }) {
  const { repo, revision = "", title, note, page, facts } = model;
  const node = make("li", "tv-card hb-item");
  node.dataset.name = repo;
  const list = make("dl", "cg-facts", ...facts.map((fact) => makeFact(fact.name, fact.value, fact.note)));
  const link = make("a", "hb-page", title === repo ? t("Its page on the Hub") : repo);
  Object.assign(link, { href: page, target: "_blank", rel: "noopener noreferrer" });
  const bar = make("div", "hb-bar");
  const track = make("div", "hb-track", bar);
  const message = make("p", "hb-message");
  const problem = make("p", "cg-problem");
  problem.setAttribute("role", "alert");
  track.setAttribute("role", "progressbar");
  track.setAttribute("aria-label", t("Adding {name}", { name: title }));
  track.setAttribute("aria-valuemin", "0");
  track.setAttribute("aria-valuemax", "100");
  let phase = "";

  const command = (className, name, act) => {
    const button = makeButton(className, () => button.getAttribute("aria-disabled") !== "true" && act(), name);
    button.setAttribute("aria-label", `${name} ${title}`);
    return button;
  };
  const buttons = {
    add: command("cg-open hb-add", t("Add"), () => send("fetch", { repo, revision })),
    cancel: command("hb-quiet hb-cancel", t("Cancel"), () => send("forgo", { repo })),
    open: command("cg-open", t("Open in Decode"), () => send("open", { repo })),
    remove: command("hb-quiet hb-remove", t("Remove"), () => send("discard", { repo })), // asks first: confirmation.js
  };
  buttons.open.setAttribute("aria-label", t("Open {name} in Decode", { name: title }));
  const row = make("div", "hb-row", ...Object.values(buttons));
  node.append(make("h3", "", title), link);
  if (note) node.append(make("p", "hb-note", note));
  node.append(list, track, message, problem, row);

  // `adding` and `here` are the server's states of the model, or undefined.
  function update(adding, here, trouble) {
    const next = adding ? "adding" : here ? "here" : "away";
    const focused = row.contains(document.activeElement);
    const values = { name: title, size: here?.size };
    if (here) buttons.remove.dataset.question = t("Remove {name}, {size}, from this machine?", values);
    track.hidden = message.hidden = !adding;
    node.setAttribute("aria-busy", String(Boolean(adding)));
    message.textContent = adding?.text ?? "";
    track.dataset.known = String(adding?.share != null);
    bar.style.inlineSize = adding?.share != null ? `${100 * adding.share}%` : "";
    if (adding?.share != null) track.setAttribute("aria-valuenow", String(Math.round(100 * adding.share)));
    else track.removeAttribute("aria-valuenow");
    problem.textContent = trouble ?? "";
    for (const button of Object.values(buttons)) button.removeAttribute("aria-disabled");
    if (next === phase) return;
    phase = node.dataset.phase = next;
    buttons.add.hidden = next !== "away";
    buttons.cancel.hidden = next !== "adding";
    buttons.open.hidden = next !== "here";
    buttons.remove.hidden = next !== "here" || !free;
    if (focused) ({ adding: buttons.cancel, here: buttons.open, away: buttons.add })[next].focus();
  }

  // Until the server answers, a second click does nothing. `disabled` would lose the focus.
  function wait(name) {
    buttons[name].setAttribute("aria-disabled", "true");
  }

  const words = wordsOf([repo, title, note, ...facts.flatMap((fact) => [fact.value, fact.note])]);
  return { node, repo, update, wait, words };
}
