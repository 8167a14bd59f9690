// @ts-check
// Opens the address of the visit: its checkpoint, text and settings in the form, and its view of the result.
import { t } from "../../views/shared/translate.js";

/** @typedef {Record<string, any>} Values */

const EVERYWHERE = ["tab", "hide"];
const FOREIGN = /^(__\w*|run|view|logs|deep_link|vscode\w*|utm_\w+|fbclid|gclid|ref|source)$/;
const FLAGS = ["words", "pruned", "cells"];
const TEXTS = ["open", "inspect", "rank_by"]; // parameters of the view that are no numbers

/** @type {(text: string) => number[][]} */
const edits = (text) => text.split("~").map((edit) => edit.split(",").filter(Boolean).map(Number));

/** @type {(name: string, text: string) => any} */
function viewValue(name, text) {
  if (name === "forced") return edits(text);
  if (FLAGS.includes(name)) return text === "true";
  return TEXTS.includes(name) ? text : Number(text);
}

/**
 * The values of an address: those of the form, those of the view, and sentences about its faults.
 * @param {URL} address
 * @param {{ config: Record<string, any>, controls: Record<string, number>, checkpoints: Record<string, any> }} texts
 */
export function readAddress(address, { config, controls, checkpoints }) {
  /** @type {Values} */
  const form = {};
  /** @type {Values} */
  const view = {};
  /** @type {string[]} */
  const faults = [];
  for (const [name, text] of address.searchParams) {
    if (FOREIGN.test(name) || EVERYWHERE.includes(name)) continue;
    if (!config.parameters.decode.includes(name))
      faults.push(t("A link has no parameter {name}.", { name: name.slice(0, 40) }));
    else if (name === "checkpoint" && !Object.hasOwn(checkpoints, text))
      faults.push(t("This page does not have the checkpoint {name}.", { name: text.slice(0, 40) }));
    else if (name in controls)
      form[name] = typeof config.defaults[name] === "number" || name === "max_length" ? Number(text) : text;
    else view[name] = viewValue(name, text);
    const value = form[name] ?? view[name];
    if (!Number.isNaN(value)) continue;
    faults.push(t("{name} must be a number; got {value}", { name, value: text.slice(0, 40) }));
    delete form[name];
    delete view[name];
  }
  return { form, view, faults };
}

/**
 * @param {import("./start.js").Texts} texts
 * @param {ReturnType<typeof import("./decode.js").createDecode>} decode
 * @param {ReturnType<typeof import("./lessons.js").createLessons>} lessons
 * @param {URL} address
 */
export async function visit(texts, decode, lessons, address) {
  const { lesson, at, faults: ofLesson } = await lessons.opened(address);
  const { form, view, faults } = readAddress(at, texts);
  const name = form.checkpoint ?? decode.first;
  const isAsked = Object.keys(form).length > 0;
  decode.show(name, { text: texts.checkpoints[name].text, ...form });
  if (!isAsked) await decode.showExample();
  const tab = at.searchParams.get("tab") === "learn" ? "learn" : "decode";
  const names = Object.keys(texts.checkpoints);
  await globalThis.unrolled.open({ tab, names, faults: [...ofLesson, ...faults], run: isAsked, view, lesson });
}

/**
 * Opens the step of a lesson on a page that is open. Settings that the step does not name go back to their defaults.
 * @param {import("./start.js").Texts} texts
 * @param {ReturnType<typeof import("./decode.js").createDecode>} decode
 * @param {ReturnType<typeof import("./lessons.js").createLessons>} lessons
 * @param {{ lesson: string, step: number }} step
 */
export async function visitStep(texts, decode, lessons, { lesson: id, step }) {
  const { lesson, at } = await lessons.opened(
    new URL(`?lesson=${encodeURIComponent(id)}&step=${step}`, document.baseURI),
  );
  const { form, view, faults } = readAddress(at, texts);
  const names = Object.keys(texts.checkpoints);
  const tab = at.searchParams.get("tab") === "learn" ? "learn" : "decode";
  const run = form.checkpoint !== undefined;
  if (run) decode.show(form.checkpoint, { ...texts.config.defaults, ...form });
  await globalThis.unrolled.open({ tab, names, faults, run, view, lesson });
}
