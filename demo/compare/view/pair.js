// @ts-check
// Two decodings side by side: texts, numbers, attention, and the model's probability of each word.

import { createOverlay, pictureSource } from "../../widgets/pictures/pictures.js";
import { asData, find, make, makeButton, makeFact, makeToken, setText } from "../../widgets/view/dom.js";
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { gridFrames, gridPicture } from "./grid.js";
import { diffText, plainText, sourceNode, stateNode } from "./texts.js";

export function createPair(root, onOpen) {
  const box = find(root, ".cp-pair");
  const columns = find(box, ".cp-columns");
  const table = find(root, ".cp-words");
  const state = { value: /** @type {any} */ (null), pinned: 0, width: 0 };

  function attention(side, frame) {
    const [title, caption] = [make("h4", "", t("Attention")), make("p", "cp-aside", side.attentionCaption)];
    if (!side.attention) return make("div", "cp-attention", title, caption);
    if (pictureSource(side.source)) return make("div", "cp-attention", title, pictures(side), caption);
    const readout = make("p", "cp-readout");
    const scroll = make("div", "cp-scroll", gridPicture(side, frame, readout));
    scroll.tabIndex = 0;
    scroll.translate = false; // tokens
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", t("Attention of {name}: source across, output down", { name: side.title }));
    const axes = make("p", "cp-axes", t("source → · output ↓"));
    return make("div", "cp-attention", title, axes, scroll, readout, caption);
  }

  // A small picture for each word: where the decoder looked when it wrote the word.
  function pictures({ source, attention: { output, weights } }) {
    const most = Math.max(...weights.flat());
    const items = output.map((label, row) => {
      const overlay = createOverlay(pictureSource(source), Math.sqrt(weights[row].length));
      overlay.show(weights[row], most);
      return make("li", "", overlay.node, makeToken("span", "", label));
    });
    return make("ol", "cp-overlays", ...items);
  }

  function column(side, index, frame) {
    const title = make("h4", "cp-side-title", side.title);
    const pinned = index === state.pinned;
    const node = make("article", "cp-side", title, sourceNode(side.source, pinned ? null : side.sourceParts));
    node.dataset.state = side.state;
    if (side.state !== "done") {
      node.append(stateNode("p", side));
      return node;
    }
    const text = side.parts && !pinned ? diffText(side.parts, "cp-text") : plainText(side.text, "cp-text");
    const facts = make("dl", "cp-facts", ...side.facts.map(([name, value]) => makeFact(name, value)));
    const open = makeButton("cp-open", () => onOpen({ id: index, ...side }), t("Open in full"));
    open.setAttribute("aria-pressed", String(root.dataset.open === String(index)));
    open.setAttribute("aria-label", t("Open the decoding of {name} in full", { name: side.title }));
    const pin = makeButton("cp-pin", () => {
      state.pinned = index;
      load(state.value);
      find(columns.children[index], ".cp-pin").focus();
    });
    pin.textContent = pinned ? t("pinned as reference") : t("pin as reference");
    pin.setAttribute("aria-pressed", String(pinned));
    pin.setAttribute("aria-label", t("Compare the other with {name}", { name: side.title }));
    node.append(make("p", "cp-output", text));
    if (side.note) node.append(make("p", "cp-aside", side.note));
    node.append(facts, make("div", "cp-buttons", open, pin), attention(side, frame));
    return node;
  }

  // A bar to the left: likelier in the first; to the right: in the second. The largest difference fills its side.
  function balance(difference, most) {
    if (difference === null) return make("td", "cp-balance");
    const bar = make("i");
    bar.style.setProperty("--share", Math.min(1, Math.abs(difference) / most).toFixed(3));
    bar.dataset.side = difference < 0 ? "first" : "second";
    return make("td", "cp-balance", bar);
  }

  function words(value) {
    const [head, body] = [find(table, "thead"), find(table, "tbody")];
    const most = Math.max(0.5, ...value.words.map((word) => Math.abs(word.difference ?? 0)));
    const [left, right] = value.sides.map((side) => side.title);
    const titles = [
      [left, ""],
      [t("log p (nats)"), "cp-number"],
      [right, ""],
      [t("log p (nats)"), "cp-number"],
      [t("difference"), "cp-number"],
      [t("likelier in the first · second"), "cp-balance-title"],
    ].map(([text, className]) => Object.assign(make("th", className, text), { scope: "col" }));
    head.replaceChildren(make("tr", "", ...titles));
    body.replaceChildren(
      ...value.words.map((word) => {
        const line = make("tr");
        line.dataset.same = String(word.same);
        const text = (part, tag) =>
          asData(make("td", "cp-word", part === null || word.same ? part : make(tag, "", part)));
        const figure = (number) => make("td", "cp-number", number === null ? "" : numberText(number));
        line.append(
          text(word.left, "del"),
          figure(word.leftLogProb),
          text(word.right, "ins"),
          figure(word.rightLogProb),
          figure(word.difference),
          balance(word.difference, most),
        );
        return line;
      }),
    );
    table.hidden = !value.words.length;
    setText(find(table, ".cp-caption"), value.wordsCaption);
  }

  function load(value) {
    if (JSON.stringify(state.value?.request) !== JSON.stringify(value.request)) state.pinned = 0;
    state.value = value;
    state.width = columns.clientWidth;
    const twin = getComputedStyle(columns).gridTemplateColumns.split(" ").length > 1;
    const frames = gridFrames(
      value.sides,
      getComputedStyle(root).fontFamily,
      twin ? state.width / 2 - 24 : state.width,
    );
    columns.replaceChildren(...value.sides.map((side, index) => column(side, index, frames[index])));
    setText(find(box, ".cp-note"), value.note);
    setText(find(box, ".cp-caption"), value.caption);
    words(value);
  }

  new ResizeObserver(() => {
    if (state.value && columns.clientWidth && Math.abs(columns.clientWidth - state.width) > 8) load(state.value);
  }).observe(columns);

  /** @param {Record<string, any>} view */
  function restore({ pinned }) {
    if (!pinned) return;
    state.pinned = Math.min(pinned, 2) - 1;
    load(state.value);
  }

  return { load, restore, read: () => (state.pinned ? { pinned: state.pinned + 1 } : {}), pinned: () => state.pinned };
}
