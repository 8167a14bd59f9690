// Chips for the source tokens. One tab stop: arrow keys move among them.
const find = (selector) => element.querySelector(selector);

function detail(token) {
  const length = token.end - token.start;
  const place = length > 1 ? t("characters {first}–{last}", { first: token.start + 1, last: token.end }) : t("character {at}", { at: token.end });
  return `id ${token.id} · ${length ? place : t("end of the text")}${token.unknown ? ` · ${t("not in the vocabulary")}` : ""}`;
}

function chip(token, index) {
  const node = document.createElement("button");
  node.type = "button";
  node.className = token.unknown ? "st-chip st-unknown" : "st-chip";
  node.dir = "auto";
  node.tabIndex = index === 0 ? 0 : -1;
  node.textContent = token.text;
  node.dataset.detail = detail(token);
  node.setAttribute("aria-label", `${t("token {at}", { at: index + 1 })}: ${token.text}, ${detail(token)}`);
  return node;
}

function draw() {
  const { tokens = [], unknown = [], note = "" } = props.value || {};
  const held = [...element.querySelectorAll(".st-chip")].indexOf(document.activeElement);
  const chips = tokens.map(chip);
  find(".st-chips").replaceChildren(...chips);
  find(".st-count").textContent = tokens.length === 1 ? t("1 token") : tokens.length ? t("{count} tokens", { count: tokens.length }) : "";
  find(".st-detail").textContent = "";
  find(".st-note").textContent = unknown.length
    ? t("Not in the vocabulary: {words} – the model reads {unknown} there.", { words: unknown.join(" "), unknown: "<unk>" })
    : note || (tokens.length ? "" : t("The tokens of your text appear here."));
  find(".st").dataset.state = unknown.length || note ? "warning" : tokens.length ? "tokens" : "empty";
  if (held >= 0) chips[Math.min(held, chips.length - 1)]?.focus(); // tokens may arrive after the reader
  element.dataset.ready = String(Number(element.dataset.ready || 0) + 1);
}

function show(event) {
  const node = event.target.closest(".st-chip");
  find(".st-detail").textContent = node ? node.dataset.detail : "";
}

element.addEventListener("mouseover", show);
element.addEventListener("focusin", (event) => {
  show(event);
  const node = event.target.closest(".st-chip");
  if (node) element.querySelectorAll(".st-chip").forEach((other) => { other.tabIndex = other === node ? 0 : -1; });
});
element.addEventListener("mouseleave", () => { find(".st-detail").textContent = ""; });
element.addEventListener("focusout", () => { find(".st-detail").textContent = ""; });
element.addEventListener("keydown", (event) => {
  const chips = [...element.querySelectorAll(".st-chip")];
  const here = chips.indexOf(event.target);
  const there = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: chips.length - 1 }[event.key];
  if (here < 0 || there === undefined) return;
  event.preventDefault();
  chips[Math.max(0, Math.min(chips.length - 1, there))].focus();
});

draw();
watch("value", draw);
