// @ts-check
// The comparison as rows for a spreadsheet.
import { COLUMNS } from "../columns.js";
import { sourceText } from "../texts.js";

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
