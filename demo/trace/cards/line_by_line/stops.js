// @ts-check
// Where a reader can let the lines run to.
import { numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { prefixText } from "./values.js";

/** @import { Model, Node } from "../../reading/trace.js" */
/** @import { Event, Scope } from "./evaluate.js" */
/** @import { Recorded, Token } from "./recorded.js" */
/** @import { Focus } from "./run.js" */
/** @typedef {{ text: string, offered: boolean, at: (index: number, wish: string) => number, why?: (index: number) => string }} Stop
 *   `at`: the line to stop at if it is known by this line, else -1; `why`: a further sentence */

const FINISHES = /^((finished|ended)\.append|bound, output = )/; // lines that finish an output
const RETURNS = /^return/;
/** Lines that end a search by its bound, and whether they do so by holding. @type {[RegExp, boolean][]} */
const BOUNDS = [
  [/\battainable\(.*:$/, true],
  [/^while stack:/, false],
];
const WORD = /[\p{L}\p{N}]/u;

/** @param {Scope} scope the prefixes that go on, best first @returns {Token[][]} */
function running({ beam, beams, running: samples, prefix }) {
  const rows = beam ?? beams?.flat() ?? samples;
  return rows ? rows.map((/** @type {any[]} */ row) => row.at(-1)) : prefix ? [prefix] : [];
}

/** @type {(one: Token[], other: Token[]) => boolean} whether the first begins with the second */
const begins = (one, other) => other.every((token, index) => one[index] === token);

/** @param {string} word @returns {(prefix: Token[]) => boolean} whether it stands in a prefix, not within a longer word */
const holder = (word) => (prefix) => {
  const text = prefixText(prefix).toLowerCase();
  for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + 1))
    if (!WORD.test(text[start - 1] ?? "") && !WORD.test(text[start + word.length] ?? "")) return true;
  return false;
};

/**
 * The stops of a run by their names in a link.
 * @param {Model} model
 * @param {Recorded} recorded
 * @param {{ events: Event[], codes: string[], header: number, focus: (index: number) => Focus }} run the executed lines,
 *   the code of each line, the line of the outermost loop, and what the tree shows
 * @returns {Record<string, Stop>}
 */
export function createStops(model, { names, rowOf, tokensOf }, { events, codes, header, focus }) {
  const isHeader = (/** @type {number} */ index) => events[index].line === header;
  const codeAt = (/** @type {number} */ index) => codes[events[index].line - 1];

  /** @param {number} index @returns {number} the last header before a line, -1 if none is */
  function headerBefore(index) {
    let before = index - 1;
    while (before >= 0 && !isHeader(before)) before -= 1;
    return before;
  }

  /** @type {(index: number, wish: string) => number} the line that drops the last prefix with a word, if that was in the
   *   step before a header */
  function losing(index, wish) {
    const word = wish.trim().toLowerCase();
    const start = isHeader(index) || index === events.length - 1 ? headerBefore(index) : -1;
    if (!word || start < 0) return -1;
    const [{ scope }, has] = [events[index], holder(word)];
    const outputs = (scope.finished ?? []).flat(scope.beams ? 1 : 0).map((/** @type {any[]} */ row) => row.at(-1));
    const { nodes } = model.steps[focus(start).step] ?? { nodes: [] };
    const lost = nodes.filter(({ id }) => has(tokensOf(model.path(id).map((node) => node.token_id))));
    if (!lost.length || [...running(scope), ...outputs].some(has)) return -1;
    for (let line = index - 1; line > start; line--)
      if (lost.includes(/** @type {Node} */ (focus(line).node))) return line;
    return index;
  }

  /** @param {(scope: Scope) => boolean} test of the variables before a header, which did not hold before the last one */
  const begun = (test) => (/** @type {number} */ index) => {
    if (!isHeader(index) || !test(events[index].scope)) return -1;
    const before = headerBefore(index);
    return before >= 0 && test(events[before].scope) ? -1 : index;
  };
  /** @param {(index: number) => boolean} test */
  const where = (test) => (/** @type {number} */ index) => (test(index) ? index : -1);

  const greedy = (model.payload.tree?.greedy ?? []).map((/** @type {number} */ id) => model.nodes.get(id)?.token_id);
  const [greedyOutput, output] = [greedy, model.hypotheses[0]?.token_ids ?? []].map(tokensOf);
  const isStepwise = codes[header - 1]?.includes("max_length") ?? false;
  const hasBeam = isStepwise && codes.some((code) => /\bbeams?\b/.test(code));
  const finishes = events.some(({ line }) => FINISHES.test(codes[line - 1]));
  const bound = BOUNDS.find(([sign]) => codes.some((code) => sign.test(code)));
  /** @param {Scope} scope */
  const placeOfOutput = (scope) => running(scope).findIndex((prefix) => begins(output, prefix));
  /** @param {Scope} scope whether greedy search goes on with another prefix than the first one */
  function isApart(scope) {
    const [first] = running(scope);
    const isOver = greedyOutput.at(-1) === names.model.end && first?.length >= greedyOutput.length;
    return Boolean(first) && !isOver && !begins(greedyOutput, first);
  }
  /** @type {(index: number) => number} the largest entropy after the prefixes for which a line asks the model, 0 if none */
  function entropyAt(index) {
    const [{ scope, asked }, next] = [events[index], events[index + 1]];
    if (!next || next.asked === asked) return 0;
    const rows = scope.beams?.[scope.group] ?? scope.beam ?? [[next.asked]];
    return Math.max(...rows.map((/** @type {any[]} */ row) => rowOf(row.at(-1))?.entropy ?? 0));
  }

  return {
    parts: {
      text: t("it parts from greedy search"),
      offered: hasBeam && greedyOutput.length > 0,
      at: begun(isApart),
      why: (index) =>
        t("Greedy search has “{prefix}”.", { prefix: prefixText(greedyOutput.slice(0, events[index].scope.length)) }),
    },
    falls: {
      text: t("the output's prefix is not first"),
      offered: hasBeam && !codes.some((code) => code.includes("beams")) && output.length > 0,
      at: begun((scope) => placeOfOutput(scope) > 0),
      why: (index) => {
        const { scope } = events[index];
        const prefix = prefixText(output.slice(0, scope.length));
        return t("“{prefix}” is in place {place}.", { prefix, place: placeOfOutput(scope) + 1 });
      },
    },
    ends: {
      text: t("an output is finished"),
      offered: finishes || isStepwise,
      at: where((index) => (finishes ? FINISHES : RETURNS).test(codeAt(index))),
    },
    entropy: {
      text: t("the entropy exceeds … nats"),
      offered: events.some(({ asked }) => asked.length),
      at: (index, wish) => (entropyAt(index) > Number(wish) ? index : -1),
      why: (index) => t("The largest entropy here is {value} nats.", { value: numberText(entropyAt(index)) }),
    },
    lost: { text: t("it loses the word …"), offered: isStepwise, at: losing },
    closes: {
      text: hasBeam ? t("the stopping rule ends it") : t("its stack is empty"),
      offered: Boolean(bound),
      at: where((index) => Boolean(bound?.[0].test(codeAt(index)) && events[index].holds === bound[1])),
    },
  };
}
