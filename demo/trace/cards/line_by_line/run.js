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
const BOUNDS = [/\battainable\(.*:$/, /^\s*if total > bound:/]; // the first closes by holding, the second by failing
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
      const own = bound ?? (node.kind === "While" ? PREFIXES[0] : subject);
      if (own) byLine.set(Number(node.line), own);
      for (const inner of [node.body, node.orelse]) if (inner) walk(inner, own);
    }
  }
  walk(program.body, undefined);
  return byLine;
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
      const node = nodes.find(({ group }) => group === scope.group) ?? nodes[0];
      if (node) return { node, step: node.step };
    }
    return { node: null, step: Math.max(0, (scope.length ?? scope.prefix?.length ?? 1) - 1) };
  }

  /** @param {number} index */
  function sentence(index) {
    const scope = { ...after(index), holds: events[index].holds };
    const of = (/** @type {string} */ expression) => value(syntax[expression], scope);
    const [, text] = lines[events[index].line - 1].sentences.find(([condition]) => truth(of(condition))) ?? [];
    return text?.replace(/\{([^}]+)\}/g, (_, expression) => valueText(of(expression))) ?? "";
  }

  // Positions in the tree, read when the reader first chooses a node there.
  /** @type {Map<Node | number, number> | undefined} */
  let positions;
  /** @type {(node: Node) => number} the first line that is about a node, else the first of its step, else -1 */
  function locate(node) {
    if (!positions) {
      positions = new Map();
      for (const index of events.keys()) {
        const found = focus(index);
        for (const place of [found.node, found.step])
          if (place !== null && !positions.has(place)) positions.set(place, index);
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
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
      if (!WORD.test(text[at - 1] ?? "") && !WORD.test(text[at + word.length] ?? "")) return true;
    return false;
  };

  /** @type {(index: number, given: string) => boolean} whether a step has just ended after which no prefix has a word */
  function loses(index, given) {
    const word = given.trim().toLowerCase();
    if (!word || !(isHeader(index) || index === events.length - 1)) return false;
    let start = index - 1;
    while (start >= 0 && !isHeader(start)) start -= 1;
    if (start < 0) return false;
    const [{ scope }, has] = [events[index], holder(word)];
    const ended = (scope.finished ?? []).flat(scope.beams ? 1 : 0).map((/** @type {any[]} */ row) => row.at(-1));
    const { nodes } = model.steps[focus(start).step] ?? { nodes: [] };
    const ranked = nodes.map(({ id }) => tokensOf(model.path(id).map((node) => node.token_id)));
    return ranked.some(has) && ![...running(scope), ...ended].some(has);
  }

  const greedy = (model.payload.tree?.greedy ?? []).map((/** @type {number} */ id) => model.nodes.get(id)?.token_id);
  const [greedyOutput, output] = [greedy, model.hypotheses[0]?.token_ids ?? []].map(tokensOf);
  const isStepwise = Boolean(header && lines[header - 1].code.includes("max_length"));
  const hasBeam = isStepwise && lines.some(({ code }) => /\bbeams?\b/.test(code));
  const finishes = lines.some(({ code }) => FINISHES.test(code));
  /** @type {Record<string, { text: string, offered: boolean, holds: (index: number, given: string) => boolean }>} */
  const stops = {
    parts: {
      text: t("it parts from greedy search"),
      offered: hasBeam && greedyOutput.length > 0,
      holds: (index) =>
        isHeader(index) &&
        running(events[index].scope)
          .slice(0, 1)
          .some((first) => !begins(greedyOutput, first)),
    },
    falls: {
      text: t("the output's prefix is not first"),
      offered: hasBeam && output.length > 0,
      holds: (index) =>
        isHeader(index) && running(events[index].scope).findIndex((prefix) => begins(output, prefix)) > 0,
    },
    ends: {
      text: t("an output is finished"),
      offered: true,
      holds: (index) => (finishes ? FINISHES : RETURNS).test(lines[events[index].line - 1].code),
    },
    entropy: {
      text: t("the entropy exceeds … nats"),
      offered: events.some(({ asked }) => asked.length),
      holds: (index, given) => {
        const [{ scope, asked }, next] = [events[index], events[index + 1]];
        if (!next || next.asked === asked) return false;
        const rows = scope.beams?.[scope.group] ?? scope.beam ?? [[next.asked]];
        return rows.some((/** @type {any[]} */ row) => (rowOf(row.at(-1))?.entropy ?? 0) > Number(given));
      },
    },
    lost: { text: t("it loses the word …"), offered: isStepwise, holds: loses },
    closes: {
      text: t("the bound ends a path"),
      offered: lines.some(({ code }) => BOUNDS.some((bound) => bound.test(code))),
      holds: (index) => BOUNDS.some((bound, place) => bound.test(code(index)) && events[index].holds === !place),
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
    /** @type {(from: number, stop: string, given: string) => number} the next line at which it holds, -1 if none does */
    until(from, stop, given) {
      for (let index = from + 1; index < events.length; index++) if (stops[stop].holds(index, given)) return index;
      return -1;
    },
  };
}
