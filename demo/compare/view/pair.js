// @ts-check
// Two decodings side by side: texts, numbers, attention, and the model's probability of each word.

import { createOverlay } from "../../widgets/pictures/picture_overlay.js";
import { pictureSource } from "../../widgets/pictures/picture_source.js";
import { asData, find, make, makeButton, makeFact, makeToken, setText } from "../../widgets/view/dom.js";
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { gridFrames, gridPicture } from "./grid.js";
import { diffText, plainText, sourceNode } from "./texts.js";

export function createPair(root, onOpen) {
  const box = find(root, ".cp-pair");
  const columns = find(box, ".cp-columns");
  const table = find(root, ".cp-words");
  const state = { value: /** @type {any} */ (null), pinned: 0, width: 0 };

  function attention(side, frame) {
    const part = make("div", "cp-attention");
    part.append(make("h4", "", t("Attention")));
    if (!side.attention) {
      part.append(make("p", "cp-aside", side.attentionCaption));
      return part;
    }
    if (pictureSource(side.source)) {
      part.append(pictures(side), make("p", "cp-aside", side.attentionCaption));
      return part;
    }
    const scroll = make("div", "cp-scroll");
    scroll.tabIndex = 0;
    scroll.translate = false; // tokens
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", t("Attention of {name}: source across, output down", { name: side.title }));
    const readout = make("p", "cp-readout");
    scroll.append(gridPicture(side, frame, readout));
    part.append(
      make("p", "cp-axes", t("source → · output ↓")),
      scroll,
      readout,
      make("p", "cp-aside", side.attentionCaption),
    );
    return part;
  }

  // A small picture for each word: where the decoder looked when it wrote the word.
  function pictures({ source, attention: { output, weights } }) {
    const most = Math.max(...weights.flat());
    const list = make("ol", "cp-overlays");
    list.append(
      ...output.map((label, row) => {
        const item = make("li");
        const overlay = createOverlay(pictureSource(source), Math.sqrt(weights[row].length));
        overlay.show(weights[row], most);
        item.append(overlay.node, makeToken("span", "", label));
        return item;
      }),
    );
    return list;
  }

  function column(side, index, frame) {
    const node = make("article", "cp-side");
    node.dataset.state = side.state;
    const title = make("h4", "cp-side-title", side.title);
    const pinned = index === state.pinned;
    node.append(title, sourceNode(side.source, pinned ? null : side.sourceParts));
    if (side.state !== "done") {
      const [className, text] = {
        failed: ["cp-problem", side.problem],
        running: ["cp-busy", t("decoding")],
        waiting: ["cp-waiting", t("waiting")],
        stopped: ["cp-waiting", t("stopped")],
      }[/** @type {"failed" | "running" | "waiting" | "stopped"} */ (side.state)];
      node.append(make("p", className, text));
      return node;
    }
    const output = make("p", "cp-output");
    output.append(side.parts && !pinned ? diffText(side.parts, "cp-text") : plainText(side.text, "cp-text"));
    const facts = make("dl", "cp-facts");
    facts.append(...side.facts.map(([name, value]) => makeFact(name, value)));
    const open = makeButton("cp-open", () => onOpen({ id: index, ...side }));
    open.textContent = t("Open in full");
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
    const buttons = make("div", "cp-buttons");
    buttons.append(open, pin);
    node.append(
      output,
      ...(side.note ? [make("p", "cp-aside", side.note)] : []),
      facts,
      buttons,
      attention(side, frame),
    );
    return node;
  }

  // A bar to the left: likelier in the first; to the right: in the second. The largest difference fills its side.
  function balance(difference, most) {
    const cell = make("td", "cp-balance");
    if (difference === null) return cell;
    const bar = make("i");
    bar.style.setProperty("--share", Math.min(1, Math.abs(difference) / most).toFixed(3));
    bar.dataset.side = difference < 0 ? "first" : "second";
    cell.append(bar);
    return cell;
  }

  function words(value) {
    const [head, body] = [find(table, "thead"), find(table, "tbody")];
    const titles = make("tr");
    const most = Math.max(0.5, ...value.words.map((word) => Math.abs(word.difference ?? 0)));
    const [left, right] = value.sides.map((side) => side.title);
    [left, t("log p (nats)"), right, t("log p (nats)"), t("difference"), t("likelier in the first · second")].forEach(
      (text, index) => {
        const cell = make(
          "th",
          (index % 2 && index < 5) || index === 4 ? "cp-number" : index === 5 ? "cp-balance-title" : "",
          text,
        );
        cell.scope = "col";
        titles.append(cell);
      },
    );
    head.replaceChildren(titles);
    body.replaceChildren(
      ...value.words.map((word) => {
        const line = make("tr");
        line.dataset.same = String(word.same);
        const text = (part, tag) => {
          const cell = asData(make("td", "cp-word"));
          if (part !== null) cell.append(word.same ? part : make(tag, "", part));
          return cell;
        };
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
