// @ts-check
// The parts of a listing that its syntax tree tells: what its lines are about, and what its lists hold.

/** @import { Syntax } from "./evaluate.js" */

const PREFIXES = ["prefix", "hypothesis"]; // variables that hold the prefix of the tree's node

/** @type {(target: Syntax) => string[]} the variables that a target binds */
const boundBy = (target) =>
  target.kind === "Tuple" ? target.elts.flatMap(boundBy) : target.kind === "Name" ? [target.id] : [];

/**
 * The variable that holds the prefix which a line is about; lines outside its loop have none.
 * @param {Syntax} program
 */
export function subjectsOf(program) {
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
export function columnsOf(program) {
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
