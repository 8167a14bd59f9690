// @ts-check
// The ways to sort and to filter the rows of a report.
import { t } from "../../../widgets/view/translate.js";

/** @import { Row, Rows } from "./browser.js" */
/** @typedef {{ label: string, of: (row: Row) => number }} Order the smallest comes first */
/** @typedef {{ label: string, holds: (row: Row) => boolean }} Filter */

/** The first two systems in both orders. @type {(report: Rows) => number[][]} */
const pairsOf = ({ names }) => (names.length > 1 ? [0, 1].map((one) => [one, 1 - one]) : []);

/** @type {(report: Rows) => Order[]} */
export function ordersOf(report) {
  const { names, scores, rows } = report;
  return [
    ...names.map((name, index) => ({
      label: t("chrF of {system}, worst first", { system: name }),
      of: (/** @type {Row} */ row) => row.cells[index].chrf,
    })),
    ...names
      .map((name, index) => ({
        label: t("cost per token of {system}", { system: name }),
        of: (/** @type {Row} */ row) => -(row.cells[index].doubt ?? 0),
      }))
      .filter((_, index) => rows[0].cells[index].doubt !== undefined),
    ...pairsOf(report).map(([one, other]) => ({
      label: t("where {a} beats {b} most", { a: names[one], b: names[other] }),
      of: (/** @type {Row} */ row) => row.cells[other].chrf - row.cells[one].chrf,
    })),
    ...scores.map((name, index) => ({ label: name, of: (/** @type {Row} */ row) => row.scores[index] })),
    { label: t("line of the file"), of: (row) => row.line },
  ];
}

/** @type {(report: Rows) => Filter[]} */
export function filtersOf(report) {
  const { names, causes, badBelow } = report;
  return [
    { label: t("all segments"), holds: () => true },
    { label: t("bad outputs"), holds: (row) => row.cells.some(({ chrf }) => chrf < badBelow) },
    ...pairsOf(report).map(([one, other]) => ({
      label: t("{a} better than {b}", { a: names[one], b: names[other] }),
      holds: (/** @type {Row} */ row) => row.cells[one].chrf > row.cells[other].chrf,
    })),
    ...Object.entries(causes).map(([name, { title }]) => ({
      label: title,
      holds: (/** @type {Row} */ row) => row.cells.some(({ cause }) => cause === name),
    })),
  ];
}
