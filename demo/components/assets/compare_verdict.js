// The reference token by token, as probable as the model finds it. One tab stop: arrow keys move among chips.
function createVerdict(root) {
  const box = root.querySelector(".cp-verdict");
  const [chips, detail, facts] = [".cp-chips", ".cp-detail", ".cp-facts"].map((name) => box.querySelector(name));

  function chip(token, index) {
    const node = makeButton("cp-chip", () => {});
    const about = t("probability {percent}, {value} nats, rank {rank} of the vocabulary", { percent: percentText(token.logProb), value: numberText(token.logProb), rank: wholeText(token.rank) })
      + (token.unknown ? `, ${t("not in the vocabulary")}` : "")
      + (token.rank > 1 && token.alternative ? `; ${t("expected “{token}”, {percent}", { token: token.alternative, percent: percentText(token.alternativeLogProb) })}` : "");
    node.append(makeToken("b", "", token.text), make("small", "", percentText(token.logProb)));
    node.style.setProperty("--share", Math.exp(token.logProb).toFixed(4));
    node.classList.toggle("cp-unknown", token.unknown);
    node.classList.toggle("cp-first", token.rank === 1);
    node.tabIndex = index ? -1 : 0;
    node.dataset.detail = `${t("step {step}", { step: index + 1 })}, ${t("“{text}”", { text: token.text })}: ${about}`;
    node.setAttribute("aria-label", node.dataset.detail);
    return node;
  }

  function fact(name, value, note) {
    const group = make("div");
    const held = make("dd");
    held.append(typeof value === "string" ? make("span", "", value) : value);
    if (note) held.append(make("small", "", note));
    group.append(make("dt", "", name), held);
    return group;
  }

  const show = (event) => { detail.textContent = event.target.closest(".cp-chip")?.dataset.detail ?? ""; };
  chips.addEventListener("mouseover", show);
  chips.addEventListener("mouseleave", () => { detail.textContent = ""; });
  chips.addEventListener("focusout", () => { detail.textContent = ""; });
  chips.addEventListener("focusin", (event) => {
    show(event);
    [...chips.children].forEach((node) => { node.tabIndex = node === event.target ? 0 : -1; });
  });
  chips.addEventListener("keydown", (event) => {
    const all = [...chips.children];
    const here = all.indexOf(event.target);
    const there = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (here < 0 || there === undefined) return;
    event.preventDefault();
    all[clamp(there, 0, all.length - 1)].focus();
  });

  function load(value) {
    const { verdict } = value;
    box.hidden = !verdict;
    if (!verdict) return;
    box.dataset.kind = verdict.kind;
    chips.replaceChildren(...verdict.tokens.map(chip));
    facts.replaceChildren(...verdict.facts.map(([name, number, text, note]) => {
      const group = fact(name, t("{value} nats", { value: numberText(number) }), note);
      group.lastChild.append(plainText(text, "cp-fact-text"));
      return group;
    }));
    box.querySelector(".cp-judgement").textContent = verdict.sentence;
  }

  return { load };
}
