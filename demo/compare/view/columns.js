// @ts-check
// The columns of the table: their labels, and how each is sorted, shown and written to a spreadsheet.
import { numberText, wholeText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";
import { sourceText } from "./texts.js";

export const STANDINGS = {
  mode: ["✓", "found the mode"],
  best: ["✓", "best found"],
  search_error: ["✗", "search error"],
  own_aim: ["≈", "another aim"],
  constrained: ["≈", "constrained"],
  draw: ["∼", "not a search for the best"],
};

const number = (key, digits) => ({
  get: (row) => row[key],
  show: (row) => (row[key] === null ? "–" : numberText(row[key], digits)),
});
const whole = (key) => ({ get: (row) => row[key], show: (row) => (row[key] === null ? "–" : wholeText(row[key])) });

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} label
 * @property {(row: any) => any} get the value to sort by
 * @property {(row: any) => string} show
 * @property {boolean} [words] whether it contains texts
 * @property {string} [unit]
 * @property {string} [file] its title in a spreadsheet, which leaves a column without a title out
 * @property {boolean} [down] whether it is first sorted downwards
 * @property {boolean} [reference] whether it needs a reference
 * @property {string} [hint]
 */

/** @type {Column[]} */
export const COLUMNS = [
  { key: "name", label: t("Strategy"), get: (row) => row.name, show: (row) => row.name, words: true },
  { key: "output", label: t("Output"), get: (row) => row.output, show: (row) => row.output, words: true },
  {
    key: "logProb",
    label: t("log p"),
    unit: t("nats"),
    file: "log-probability (nats)",
    down: true,
    ...number("logProb", 2),
    hint: t("Sum of the log-probabilities of all tokens: what the model thinks of this output"),
  },
  {
    key: "score",
    label: t("score"),
    file: "score",
    down: true,
    ...number("score", 3),
    hint: t("The strategy's ranking value: log p, divided by length^α if it has an α"),
  },
  {
    key: "length",
    label: t("length"),
    unit: t("tokens"),
    file: "length (tokens)",
    ...whole("length"),
    hint: t("Tokens, the end token included"),
  },
  {
    key: "bleu",
    label: "BLEU",
    unit: "0–100",
    file: "BLEU",
    down: true,
    reference: true,
    ...number("bleu", 1),
    hint: t("Sentence BLEU against the reference"),
  },
  {
    key: "chrf",
    label: "chrF",
    unit: "0–100",
    file: "chrF",
    down: true,
    reference: true,
    ...number("chrf", 1),
    hint: t("Sentence chrF against the reference"),
  },
  {
    key: "ms",
    label: t("time"),
    unit: "ms",
    file: "time (ms)",
    ...number("ms", 0),
    hint: t("On this server, just now"),
  },
  {
    key: "expanded",
    label: t("work"),
    unit: t("prefixes"),
    file: "prefixes expanded",
    ...whole("expanded"),
    hint: t("Prefixes that the model has scored"),
  },
  {
    key: "parts",
    label: t("first difference"),
    unit: t("step"),
    file: "first diverging step",
    get: (row) => row.parts,
    show: (row) => (row.parts === null ? "–" : row.parts ? String(row.parts) : t("same")),
    hint: t("The first step whose token differs from the text that the others are compared with"),
  },
];

export const visibleColumns = (value) => COLUMNS.filter((column) => !column.reference || value.request.reference);

// Rows without a value come last in either direction.
export function sortedRows(rows, key, down) {
  const column = COLUMNS.find((candidate) => candidate.key === key);
  if (!column) return rows;
  const worth = (row) => (row.state === "done" ? column.get(row) : null);
  return [...rows].sort((one, other) => {
    const [a, b] = [worth(one), worth(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || one.id - other.id;
    const order = typeof a === "string" ? a.localeCompare(b) : a - b;
    return (down ? -order : order) || one.id - other.id;
  });
}

export function rowsTable(value, rows, base) {
  const numbers = COLUMNS.filter((column) => column.file);
  const titles = [
    "strategy",
    "settings",
    "state",
    "output",
    ...numbers.map((column) => column.file),
    "verdict",
    "nats below the best",
    "compared with",
    "note",
    "checkpoint",
    "source",
    "reference",
    "date",
  ];
  const { text, reference } = value.request;
  return [
    titles,
    ...rows.map((row) => {
      const done = row.state === "done";
      const figures = numbers.map((column) => (done ? column.get(row) : null));
      return [
        row.name,
        row.details,
        row.state,
        row.output,
        ...figures,
        row.mark?.text,
        row.mark?.gap,
        base?.name,
        row.problem || row.note,
        value.checkpoint,
        sourceText(text),
        reference,
        value.date,
      ];
    }),
  ];
}

export function pairTable(value) {
  const names = [...new Set(value.sides.flatMap((side) => (side.facts || []).map(([label]) => label)))];
  const sides = value.sides.map((side) => [
    side.title,
    side.checkpoint,
    sourceText(side.source),
    value.strategy,
    side.state,
    side.text,
    ...names.map((name) => side.numbers?.[name] ?? null),
    side.problem,
    value.date,
  ]);
  const words = value.words.map((word) => [
    word.left,
    word.leftLogProb,
    word.right,
    word.rightLogProb,
    word.difference,
  ]);
  const titles = ["side", "checkpoint", "source", "strategy", "state", "output", ...names, "note", "date"];
  return [
    titles,
    ...sides,
    ...(words.length
      ? [
          [],
          ["left word", "log-probability (nats)", "right word", "log-probability (nats)", "difference (nats)"],
          ...words,
        ]
      : []),
  ];
}
