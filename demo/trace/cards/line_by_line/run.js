// @ts-check
// The executed lines of a trace: the variables after each, its sentence, its node in the tree, and where to stop.
import { clamp } from "../../../widgets/view/numbers.js";
import { t } from "../../../widgets/view/translate.js";
import { equal, execute, truth } from "./evaluate.js";
import { createRecorded, settingsOf } from "./recorded.js";
import { createStops } from "./stops.js";
import { columnsOf, subjectsOf } from "./structure.js";
import { isPrefix, valueText } from "./values.js";

/** @import { Model, Node } from "../../reading/trace.js" */
/** @import { Scope, Syntax } from "./evaluate.js" */
/** @typedef {{ code: string, sentences: [condition: string, sentence: string][] }} Line */
/** @typedef {{ lines: Line[], program: Syntax, syntax: Record<string, Syntax> }} Listing */
/** @typedef {{ node: Node | null, step: number }} Focus `step` counts from 0 */
/** @typedef {ReturnType<typeof createRun>} Run */

/** @type {(nodes: Node[], scope: Scope, prefix: any, drawn: Node | null) => Node | undefined} a line's node */
function nodeOf(nodes, { samples = [], group }, prefix, drawn) {
  const prefixes = samples.map((/** @type {any[]} */ row) => row.at(-1));
  const sample = prefixes.indexOf(prefix);
  // Samples with one prefix have a node each, in their order.
  if (sample >= 0)
    return nodes[prefixes.slice(0, sample).filter((/** @type {any} */ other) => equal(other, prefix)).length];
  return nodes.find((node) => node === drawn || node.group === group) ?? nodes[0];
}

/**
 * Executes the listing of a trace.
 * @param {Model} model
 * @param {Listing} listing
 */
export function createRun(model, { lines, program, syntax }) {
  const { trace } = model.payload;
  const recorded = createRecorded(model);
  const { names, nodesOf } = recorded;
  const { events, last, value } = execute(program, settingsOf(program, trace.settings, names), names);
  const about = subjectsOf(program);
  const header = program.body.find(({ kind }) => kind === "For" || kind === "While")?.line ?? 0;
  const codes = lines.map(({ code }) => code.trim());
  /** @type {(index: number) => Scope} the variables after a line */
  const after = (index) => events[index + 1]?.scope ?? last;

  /** @type {(index: number) => Focus} what the tree shows at a line */
  function focus(index) {
    const [{ line, holds }, scope] = [events[index], after(index)];
    const prefix = scope[about.get(line) ?? ""];
    if (isPrefix(prefix) && !(holds === false && codes[line - 1].startsWith("for "))) {
      const node = nodeOf(nodesOf(prefix), scope, prefix, (events[index + 1] ?? names.model).drawn);
      if (node) return { node, step: node.step };
    }
    return { node: null, step: Math.max(0, (scope.length ?? scope.prefix?.length ?? 1) - 1) };
  }

  /** @param {number} index */
  function sentence(index) {
    const scope = { ...after(index), holds: events[index].holds };
    const of = (/** @type {string} */ expression) => value(syntax[expression], scope);
    if (events[index].cut) return t("The trace ends here.");
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
        const { node: focused, step } = focus(index);
        for (const item of [focused, step]) if (item !== null && !positions.has(item)) positions.set(item, index);
      }
    }
    return positions.get(node) ?? positions.get(node.step) ?? -1;
  }

  const stops = createStops(model, recorded, { events, codes, header, focus });

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
      while (events[index] && events[index].line !== header) index += direction;
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
