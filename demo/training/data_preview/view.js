// @ts-check
// Counts, lengths and examples of a corpus. Text enters the page through textContent alone.
import { asData, find, make, makeFact } from "../../widgets/view/dom.js";
import { smallPercentText, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

const GATHER_MILLISECONDS = 200; // a preset changes many fields at once
const MAX_CHARACTERS = 300; // characters of a text that is shown; its hint shows the rest

/** @type {Mount} */
export function mount(element, props, watch, trigger) {
  const root = find(element, ".dp");
  const body = find(root, ".dp-body");

  const share = (value) => (value === null ? "–" : smallPercentText(value));

  function facts(data) {
    const { statistics } = data;
    const rows = [
      [t("training pairs"), wholeText(statistics.pairs)],
      [t("validation pairs"), wholeText(statistics.valid_pairs ?? 0)],
      [t("duplicates"), wholeText(statistics.duplicates)],
      [t("sources with several targets"), wholeText(statistics.sources_with_several_targets)],
      [t("vocabulary"), t("{count} tokens", { count: wholeText(data.vocab_size) })],
      [
        t("unknown tokens, source and target"),
        `${share(statistics.source.unknown_rate)}, ${share(statistics.target.unknown_rate)}`,
      ],
      [t("validation sources seen in training"), wholeText(statistics.leaked_sources ?? 0)],
      [t("too long to train on"), wholeText(statistics.pairs - data.trainable)],
      [t("malformed rows"), wholeText(data.malformed_count)],
      ...(data.encoding ? [[t("encoding"), data.encoding]] : []),
    ];
    return make("dl", "dp-facts", ...rows.map(([name, value]) => makeFact(name, value)));
  }

  function histogram(title, className, lengths, unit) {
    const most = Math.max(...lengths.bins.map((bin) => bin.count), 1);
    const bars = make("div", "dp-bars");
    for (const bin of lengths.bins) {
      const bar = make("span");
      bar.style.height = `${Math.max(bin.count ? 3 : 0, (100 * bin.count) / most)}%`;
      bar.title = `${bin.first === bin.last ? bin.first : t("{first} to {last}", bin)} ${unit}: ${wholeText(bin.count)}`;
      bars.append(bar);
    }
    bars.setAttribute("role", "img");
    const sentence = t("{title}: {minimum} to {maximum} {unit}, median {median}, 95% at most {most}", {
      title,
      unit,
      ...lengths,
      most: lengths.percentile_95,
    });
    bars.setAttribute("aria-label", sentence);
    return make("figure", `dp-histogram ${className}`, bars, make("figcaption", "", sentence));
  }

  function lengths(statistics) {
    const row = make("div", "dp-lengths");
    const titles = { source: t("Source length"), target: t("Target length") };
    for (const [side, title] of Object.entries(titles)) {
      const { tokens, characters } = statistics[side];
      row.append(histogram(title, `dp-${side}`, tokens ?? characters, tokens ? t("tokens") : t("characters")));
    }
    return row;
  }

  function cellOf(text) {
    const cell = make("td", "", text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
    if (text.length > MAX_CHARACTERS) cell.title = text;
    return asData(cell);
  }

  function table(headings, rows) {
    const node = make("table");
    const scroll = make("div", "dp-scroll", node);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", headings.join(", "));
    const head = node.createTHead().insertRow();
    head.append(...headings.map((text) => make("th", "", text)));
    const tbody = node.createTBody();
    for (const cells of rows) tbody.insertRow().append(...cells.map((text) => cellOf(String(text))));
    return scroll;
  }

  function malformedLines(data) {
    if (!data.malformed_count) return [];
    const partial =
      data.malformed.length < data.malformed_count
        ? `, ${t("the first {count} of them", { count: data.malformed.length })}`
        : "";
    const count = `${t("malformed rows")}: ${wholeText(data.malformed_count)}${partial}.`;
    const rows = data.malformed.map((row) => [row.line, row.reason, row.text]);
    const summary = make("summary", "", `${count} ${t("They are left out once you agree.")}`);
    return [make("details", "dp-malformed", summary, table([t("line"), t("what is wrong"), t("row")], rows))];
  }

  // The visitor's corrections, the latest first.
  function corrections(data) {
    const rows = [...data.corrections].reverse();
    return [
      make("p", "dp-description", data.description),
      table([t("source"), t("the model wrote"), t("your correction")], rows),
    ];
  }

  let changes = 0; // the number of changes in the form
  let covered = 0; // changes that the current value takes into account
  let requested = 0; // changes that the latest request takes into account
  const mark = () => {
    root.dataset.stale = String(root.dataset.state !== "empty" && changes > covered);
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gathering;
  Object.assign(root, {
    unrolled: {
      changed: () => {
        changes += 1;
        mark();
        clearTimeout(gathering);
        gathering = setTimeout(() => trigger("gather"), GATHER_MILLISECONDS);
      },
      requested: () => {
        requested = changes;
      },
      // An event of its own: Gradio does not announce a value that equals the last one.
      answered: () => {
        covered = requested;
        mark();
      },
    },
  });

  function draw() {
    const data = props.value || { state: "empty", problem: "" };
    root.dataset.state = data.state;
    find(root, ".dp-problem").textContent = data.problem ?? "";
    body.replaceChildren();
    if (data.state === "data") {
      body.append(
        make("p", "dp-description", `${data.description}.`),
        make("ul", "dp-notes", ...data.notes.map((text) => make("li", "", text))),
        facts(data),
        lengths(data.statistics),
        table([t("source"), t("target")], data.pairs),
        ...malformedLines(data),
      );
    }
    if (data.state === "corrections") body.append(...corrections(data));
    mark();
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  }

  draw();
  watch("value", draw);
}
