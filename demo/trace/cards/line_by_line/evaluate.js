// @ts-check
// Executes a listing: one Python function, given as the syntax tree that models/decoding/strategies/listings makes.
// A value never changes: `append` binds a new list to its variable. So the variables at any line are a copy of the
// names alone, and a reader can step back.

import { clamp } from "../../../widgets/view/numbers.js";

/** @typedef {{ kind: string, line?: number, [field: string]: any }} Syntax a node of the tree */
/** @typedef {Record<string, any>} Scope values by the names of variables */
/** @typedef {{ line: number, scope: Scope, asked: any[], drawn: any, holds?: boolean, cut?: boolean }} Event a line, the
 *   variables before it, the prefix that the model was asked for last, the node that was drawn last, whether the condition
 *   of the line holds or its loop goes on, and whether the trace ends in it */
/** @typedef {Record<string, any>} Names functions and values that are no variables */

export const MAX_EVENTS = 50_000;

/** Ends the execution where the trace has no answer, as that of a stopped search. */
export class TraceEnd extends Error {}

/** @param {any} value Python's truth */
export const truth = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** @type {(a: any, b: any) => boolean} */
export const equal = (a, b) =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((item, index) => equal(item, b[index]))
    : a === b;

/** @type {Record<string, (a: any, b: any) => any>} */
const OPERATORS = {
  Add: (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b),
  Sub: (a, b) => a - b,
  Mult: (a, b) => (Array.isArray(a) ? Array.from({ length: clamp(b, 0, MAX_EVENTS) }, () => a).flat() : a * b),
  Div: (a, b) => a / b,
  FloorDiv: (a, b) => Math.floor(a / b),
  Pow: (a, b) => a ** b,
  Lt: (a, b) => a < b,
  LtE: (a, b) => a <= b,
  Gt: (a, b) => a > b,
  GtE: (a, b) => a >= b,
  Eq: equal,
  NotEq: (a, b) => !equal(a, b),
};

/** Python's own functions. @type {Names} */
const BUILTINS = {
  len: (list) => list.length,
  range: (...ends) => {
    const [start, end] = [0, ...ends].slice(-2);
    return Array.from({ length: clamp(end - start, 0, MAX_EVENTS) }, (_, index) => start + index);
  },
  enumerate: (list, start = 0) => list.map((item, index) => [start + index, item]),
  sum: (list) => list.reduce((total, item) => total + item, 0),
  max: (list) => list.reduce((most, item) => (item > most ? item : most)),
  list: (list) => [...list],
  reversed: (list) => [...list].reverse(),
  inf: Infinity,
};

/** @param {Names} names */
function createExpressions(names) {
  /** @type {Record<string, (node: Syntax, scope: Scope) => any>} */
  const kinds = {
    Constant: (node) => node.value,
    Name: (node, scope) => (node.id in scope ? scope[node.id] : (names[node.id] ?? BUILTINS[node.id])),
    List: ({ elts = [] }, scope) => elts.map((item) => value(item, scope)),
    Tuple: ({ elts = [] }, scope) => elts.map((item) => value(item, scope)),
    BinOp: (node, scope) => OPERATORS[node.op](value(node.left, scope), value(node.right, scope)),
    BoolOp: (node, scope) => {
      const stops = node.op === "Or";
      return node.values.some((item) => truth(value(item, scope)) === stops) === stops;
    },
    UnaryOp: (node, scope) => {
      const operand = value(node.operand, scope);
      return node.op === "Not" ? !truth(operand) : -operand;
    },
    Compare: (node, scope) => OPERATORS[node.ops[0]](value(node.left, scope), value(node.comparators[0], scope)),
    Attribute: (node, scope) => value(node.value, scope)[node.attr],
    Subscript: (node, scope) => {
      const list = value(node.value, scope);
      if (node.slice.kind !== "Slice") return list.at(value(node.slice, scope));
      return list.slice(
        ...[node.slice.lower, node.slice.upper].map((end) => end && value(end, scope)).map((end) => end ?? undefined),
      );
    },
    Call: (node, scope) => value(node.func, scope)(...(node.args ?? []).map((item) => value(item, scope))),
    ListComp: (node, scope) => members(node, node.generators, scope),
  };

  /** @type {(node: Syntax, scope: Scope) => any} */
  function value(node, scope) {
    const of = kinds[node.kind];
    if (!of) throw new Error(`a listing cannot have ${node.kind}`);
    return of(node, scope);
  }

  /** @type {(node: Syntax, generators: Syntax[], scope: Scope) => any[]} */
  function members(node, [first, ...rest], scope) {
    if (!first) return [value(node.elt, scope)];
    const items = [];
    for (const item of value(first.iter, scope)) {
      const inner = { ...scope };
      bind(first.target, item, inner);
      if ((first.ifs ?? []).every((condition) => truth(value(condition, inner))))
        items.push(...members(node, rest, inner));
    }
    return items;
  }

  /** @type {(target: Syntax, item: any, scope: Scope) => void} */
  function bind(target, item, scope) {
    if (target.kind === "Name") scope[target.id] = item;
    else if (target.kind === "Tuple") for (const [index, part] of target.elts.entries()) bind(part, item[index], scope);
    else {
      const list = [...value(target.value, scope)];
      list[value(target.slice, scope)] = item;
      bind(target.value, list, scope);
    }
  }

  return { value, bind };
}

/**
 * Executes a function and returns its lines in order; beyond MAX_EVENTS it ends without a result.
 * @param {Syntax} program a FunctionDef
 * @param {Scope} values of its arguments that are settings
 * @param {Names} names the model and the helpers
 * @returns {{ events: Event[], last: Scope, result: any, value: (node: Syntax, scope: Scope) => any }} `last`: the
 *   variables after the last line; `value` evaluates a further expression, which must not ask the model
 */
export function execute(program, values, names) {
  const { value, bind } = createExpressions(names);
  /** @type {Event[]} */
  const events = [];
  const scope = { ...values };
  let result;

  /** @type {(node: Syntax, condition?: Syntax) => boolean} */
  function visit(node, condition) {
    if (events.length >= MAX_EVENTS) throw new TraceEnd();
    /** @type {Event} */
    const event = { line: Number(node.line), scope: { ...scope }, asked: names.model.asked, drawn: names.model.drawn };
    events.push(event);
    if (condition) event.holds = truth(value(condition, scope));
    return Boolean(event.holds);
  }

  /** @type {(holds: boolean) => void} whether a loop goes on with another item */
  const goesOn = (holds) => {
    events[events.length - 1].holds = holds;
  };

  /** @type {Record<string, (node: Syntax) => string | void>} */
  const statements = {
    Assign: (node) => bind(node.targets[0], value(node.value, scope), scope),
    // A call alone is one of `append`.
    Expr: ({ value: { func, args } }) => bind(func.value, [...value(func.value, scope), value(args[0], scope)], scope),
    Break: () => "break",
    Return: (node) => {
      result = value(node.value, scope);
      return "return";
    },
  };

  /** @param {Syntax[]} block @returns {string | void} how it is left, if not at its end */
  function run(block) {
    for (const node of block) {
      const left = (blocks[node.kind] ?? runLine)(node);
      if (left) return left;
    }
  }

  /** @param {Syntax} node */
  function runIf(node) {
    return run(visit(node, node.test) ? node.body : (node.orelse ?? []));
  }

  /** @param {Syntax} node */
  function runFor(node) {
    visit(node);
    for (const item of value(node.iter, scope)) {
      goesOn(true);
      bind(node.target, item, scope);
      const left = run(node.body);
      if (left) return left === "break" ? undefined : left;
      visit(node);
    }
    goesOn(false);
  }

  /** @param {Syntax} node */
  function runWhile(node) {
    while (visit(node, node.test)) {
      const left = run(node.body);
      if (left) return left === "break" ? undefined : left;
    }
  }

  /** @param {Syntax} node */
  function runLine(node) {
    visit(node);
    return statements[node.kind](node);
  }

  /** @type {Record<string, (node: Syntax) => string | void>} */
  const blocks = { If: runIf, For: runFor, While: runWhile };

  try {
    run(program.body);
  } catch (error) {
    if (!(error instanceof TraceEnd)) throw error;
    events[events.length - 1].cut = true;
  }
  return { events, last: { ...scope }, result, value };
}
