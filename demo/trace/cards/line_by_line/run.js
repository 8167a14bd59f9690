// @ts-check
// The executed lines of a trace: the variables after each, its sentence, its node in the tree, and where to stop.
import { clamp, numberText } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { execute, truth } from "./evaluate.js";
import { createRecorded, settingsOf, Token } from "./recorded.js";

/** @import { Model, Node } from "../../reading/trace.js" */
/** @import { Scope, Syntax } from "./evaluate.js" */
/** @typedef {{ code: string, sentences: [condition: string, sentence: string][] }} Line */
/** @typedef {{ lines: Line[], program: Syntax, syntax: Record<string, Syntax> }} Listing */
/** @typedef {ReturnType<typeof createRun>} Run */

const PREFIXES = ["prefix", "hypothesis"]; // variables that hold the prefix of the tree's node
const FINISHES = /^\s*((finished|ended)\.append|bound, output = )/; // lines that finish an output
const RETURNS = /^\s*return/;
/** Lines that end a search by its bound, and whether they do so by holding. @type {[RegExp, boolean][]} */
const BOUNDS = [
  [/\battainable\(.*:$/, true],
  [/^\s*while stack:/, false],
];
const WORD = /[\p{L}\p{N}]/u;

/** @param {any} value a list of tokens */
export const isPrefix = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => item instanceof Token);

/** @param {any} value numbers, then a prefix or a token */
export const isRow = (value) =>
  Array.isArray(value) &&
  typeof value[0] === "number" &&
  (value.at(-1) instanceof Token || Array.isArray(value.at(-1)));

/** The text of a prefix. @param {Token[]} prefix */
export function prefixText(prefix) {
  if (!prefix.length) return t("start");
  const labels = prefix.map(({ label }) => label);
  return labels.some((label) => label.startsWith("␣")) ? labels.join("").replaceAll("␣", " ").trim() : labels.join(" ");
}

/** @param {any} value as a sentence or a table writes it */
export function valueText(value) {
  if (value instanceof Token) return value.label;
  if (isPrefix(value) || (Array.isArray(value) && !value.length)) return prefixText(value);
  return Number.isInteger(value) || typeof value !== "number" ? String(value) : numberText(value);
}

/** @type {(target: Syntax) => string[]} the variables that a target binds */
const boundBy = (target) =>
  target.kind === "Tuple" ? target.elts.flatMap(boundBy) : target.kind === "Name" ? [target.id] : [];

/**
 * The variable that holds the prefix which a line is about; lines outside its loop have none.
 * @param {Syntax} program
 */
function subjects(program) {
  /** @type {Map<number, string>} */
  const byLine = new Map();
  /** @type {(block: Syntax[], subject: string | undefined) => void} */
  function walk(block, subject) {
    for (const node of block) {
      const bound = node.kind === "For" ? boundBy(node.target).find((name) => PREFIXES.includes(name)) : undefined;
      const inner = bound ?? (node.kind === "While" ? PREFIXES[0] : subject);
      if (inner) byLine.set(Number(node.line), inner);
      for (const block of [node.body, node.orelse]) if (block) walk(block, inner);
    }
  }
  walk(program.body, undefined);
  return byLine;
}

/**
 * The names of the columns of lists, as loops and `append` write their rows.
 * @param {Syntax} program
 * @returns {Record<string, string[]>}
 */
function columnsOf(program) {
  /** @type {Record<string, string[]>} */
  const columns = {};
  const nameOf = (/** @type {Syntax} */ node) => node.id ?? node.func?.id ?? "";
  /** @param {Syntax[]} block */
  function walk(block) {
    for (const node of block) {
      if (node.kind === "Expr") columns[node.value.func.value.id] ??= node.value.args[0].elts?.map(nameOf);
      if (node.kind === "For") {
        const [list, target] = node.iter.args ? [node.iter.args[0], node.target.elts?.[1]] : [node.iter, node.target];
        if (list.id && target?.elts) columns[list.id] ??= boundBy(target);
      }
      if (node.kind === "Assign" && node.targets[0].elts && node.value.elts)
        for (const [index, target] of node.targets[0].elts.entries())
          if (target.kind === "Subscript") columns[target.value.id] ??= columns[node.value.elts[index].id];
      for (const inner of [node.body, node.orelse]) if (inner) walk(inner);
    }
  }
  walk(program.body);
  return columns;
}

/**
 * Executes the listing of a trace.
 * @param {Model} model
 * @param {Listing} listing
 */
export function createRun(model, { lines, program, syntax }) {
  const { trace } = model.payload;
  const { names, nodesOf, rowOf, tokensOf } = createRecorded(model);
  const { events, last, value } = execute(program, settingsOf(program, trace.settings, names), names);
  const about = subjects(program);
  const header = program.body.find(({ kind }) => kind === "For" || kind === "While")?.line;
  const code = (/** @type {number} */ index) => lines[events[index].line - 1].code.trim();
  /** @type {(index: number) => Scope} the variables after a line */
  const after = (index) => events[index + 1]?.scope ?? last;

  /** @type {(index: number) => { node: Node | null, step: number }} what the tree shows at a line, from step 0 */
  function focus(index) {
    const [{ line, holds }, scope] = [events[index], after(index)];
    const prefix = scope[about.get(line) ?? ""];
    if (isPrefix(prefix) && !(holds === false && code(index).startsWith("for "))) {
      const nodes = nodesOf(prefix);
      const drawn = (events[index + 1] ?? names.model).drawn;
      const node = nodes.find((other) => other === drawn || other.group === scope.group) ?? nodes[0];
      if (node) return { node, step: node.step };
    }
    return { node: null, step: Math.max(0, (scope.length ?? scope.prefix?.length ?? 1) - 1) };
  }

  /** @param {number} index */
  function sentence(index) {
    const scope = { ...after(index), holds: events[index].holds };
    const of = (/** @type {string} */ expression) => value(syntax[expression], scope);
    try {
      const [, text] = lines[events[index].line - 1].sentences.find(([condition]) => truth(of(condition))) ?? [];
      return text?.replace(/\{([^}]+)\}/g, (_, expression) => valueText(of(expression))) ?? "";
    } catch {
      return t("The trace ends here.");
    }
  }

  // Positions in the tree, read when the reader first chooses a node there.
  /** @type {Map<Node | number, number> | undefined} */
  let positions;
  /** @type {(node: Node) => number} the first line that is about a node, else the first of its step, else -1 */
  function locate(node) {
    if (!positions) {
      positions = new Map();
      for (const index of events.keys()) {
        const { node: focused, step } = focus(index);
        for (const item of [focused, step]) if (item !== null && !positions.has(item)) positions.set(item, index);
      }
    }
    return positions.get(node) ?? positions.get(node.step) ?? -1;
  }

  const isHeader = (/** @type {number} */ index) => events[index].line === header;
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
  const isStepwise = Boolean(header && lines[header - 1].code.includes("max_length"));
  const hasBeam = isStepwise && lines.some(({ code }) => /\bbeams?\b/.test(code));
  const finishes = events.some(({ line }) => FINISHES.test(lines[line - 1].code));
  const bound = BOUNDS.find(([sign]) => lines.some(({ code }) => sign.test(code)));
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

  /** @typedef {{ text: string, offered: boolean, at: (index: number, wish: string) => number, why?: (index: number) => string }} Stop
   *   `at`: the line to stop at if it is known by this line, else -1; `why`: a further sentence */
  /** @type {Record<string, Stop>} */
  const stops = {
    parts: {
      text: t("it parts from greedy search"),
      offered: hasBeam && greedyOutput.length > 0,
      at: begun(isApart),
      why: (index) =>
        t("Greedy search has “{prefix}”.", { prefix: prefixText(greedyOutput.slice(0, events[index].scope.length)) }),
    },
    falls: {
      text: t("the output's prefix is not first"),
      offered: hasBeam && output.length > 0,
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
      at: where((index) => (finishes ? FINISHES : RETURNS).test(lines[events[index].line - 1].code)),
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
      at: where((index) => Boolean(bound?.[0].test(code(index)) && events[index].holds === bound[1])),
    },
  };

  return {
    events,
    after,
    focus,
    sentence,
    locate,
    nodesOf,
    stops,
    /** @type {(from: number, direction: number) => number} the next line of its outermost loop, or an end */
    step(from, direction) {
      let index = from + direction;
      while (events[index] && !isHeader(index)) index += direction;
      return clamp(index, 0, events.length - 1);
    },
    /** @type {(from: number, stop: string, wish: string) => number} the next line to stop at, -1 if there is none */
    until(from, stop, wish) {
      for (let index = from + 1; index < events.length; index++) {
        const line = stops[stop].at(index, wish);
        if (line > from) return line;
      }
      return -1;
    },
    /** @type {(from: number, line: number) => number} the next time that a line of the listing runs, else the first time */
    runTo(from, line) {
      const after = events.findIndex((event, index) => index > from && event.line === line);
      return after < 0 ? events.findIndex((event) => event.line === line) : after;
    },
    columns: columnsOf(program),
  };
}
