// @ts-check
// One model as a card. An update changes texts only, so that the focus stays.
import { make, makeButton, makeFact } from "../../widgets/view/dom.js";
import { wordsOf } from "../../widgets/view/filter.js";
import { t } from "../../widgets/view/translate.js";

export function createHubCard(model, { free, send }) {
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
