"""The conditions that must hold after each step of a random path, as a script in the page."""

from __future__ import annotations

import json

from demo.links.parameters import LEFT_OUT
from demo.work.operator.caps import allowed_settings
from models.decoding.description import FormPart

# Settings in the order of their fields on the page.
PARTS = (FormPart.STRATEGY, FormPart.SIZE, FormPart.MANNER, FormPart.SEED, FormPart.CONSTRAINT)
FIELDS = [name for part in PARTS for name, item in allowed_settings().items() if item.part is part]

_SCRIPT = """() => {
  const [FIELDS, DEFAULTS] = VALUES;
  const view = document.querySelector("#trace .trace-view");
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const value = (selector) => document.querySelector(selector)?.value ?? null;
  const named = (title) => title?.split(" · ").at(-1) ?? null; // without the words before it
  const isAlike = (one, other) => {
    const [left, right] = [one, other].map((each) => String(each ?? "").trim());
    return left === right || (left !== "" && right !== "" && Number(left) === Number(right));
  };
  const problems = [];
  const compare = (one, other, where) => {
    for (const [name, right] of Object.entries(other))
      if (!isAlike(one[name], right)) problems.push(`${where}: ${name} ${one[name]}, not ${right}`);
  };
  if (!view?.matches(".tv-filled") || document.querySelector("#run[aria-busy=true]")) return ["busy"];
  if (view.dataset.editing === "true") return ["editing"];

  const { request, labels, versions } = view.unrolled.result();
  const result = { checkpoint: request.checkpoint, text: request.text, ...request.settings };
  const form = { checkpoint: named(value("#checkpoint input")), text: value("#source textarea") };
  const settings = ".block:not(.container, .gr-accordion, #live, #strategy-description)";
  const blocks = document.querySelectorAll(`#strategy-card ${settings}`);
  const fields = [...blocks].filter((block) => block.querySelector("input"));
  fields.forEach((field, index) => {
    form[FIELDS[index]] = field.querySelector("input:not([type=radio]), input:checked")?.value;
  });
  const chips = {
    checkpoint: named(text("#checkpoint-name .chip-value")),
    strategy: text("#strategy-chip .chip-value"),
  };
  compare(chips, { checkpoint: form.checkpoint }, "the chip says");
  const isInForm = Object.keys(form).filter((name) => name in result);
  const isSame = isInForm.every((name) => isAlike(form[name], result[name]));
  if (view.dataset.stale === "false") {
    compare(form, Object.fromEntries(isInForm.map((name) => [name, result[name]])), "the form says");
    compare(chips, { strategy: labels.strategy }, "the chip says");
  } else if (isSame && fields.length === FIELDS.length) problems.push("marked without a difference");

  const tab = document.querySelector("#tabs [role=tab][aria-selected=true]")?.dataset.tabId;
  const address = Object.fromEntries(new URL(location.href).searchParams);
  const dock = document.querySelector("aside.lesson:not([hidden])");
  if (dock) {
    const [lesson, step = address.step] = (address.lesson ?? "").split(":");
    const { lesson: name, step: number } = dock.dataset;
    compare({ lesson, step }, { lesson: name, step: number }, "the lesson's address says");
    if (!address.lesson?.includes(":")) return problems;
  } else if ("lesson" in address) problems.push("the address of a lesson that was left");
  if (tab === "decode") {
    const isVisit = !("text" in address) && document.querySelectorAll("#results .rs-result").length < 2;
    if (isVisit) return problems;
    const { max_length, ...all } = result; // a checkpoint has its own
    compare({ ...DEFAULTS, ...address }, max_length && address.max_length ? result : all, "the address says");
    const edits = versions.versions.slice(1).map(({ model }) => model.payload.trace);
    if (edits.length <= 6 && !edits.some(({ overrides }) => overrides.length)) {
      const forced = edits.map((edit) => edit.forced.join()).join("~");
      compare({ forced: "", ...address }, { forced }, "the address says");
      compare({ version: 0, ...address }, { version: versions.chosen }, "the address says");
    }
  } else {
    compare({ tab: "decode", ...address }, { tab }, "the address says");
    if (tab === "compare" && "text" in address) {
      const [checkpoint, typed] = ["#compare-checkpoint input", "#compare-text textarea"].map(value);
      const mode = value("#compare-mode input:checked");
      const said = { checkpoint: named(checkpoint), text: typed, mode };
      compare(address, said, "the address of the comparison says");
    }
  }
  return problems;
}"""
_VALUES = json.dumps([FIELDS, LEFT_OUT])
PROBLEMS = _SCRIPT.replace("VALUES", _VALUES)

# What a reload and a second browser must bring back.
SNAPSHOT = """() => {
  const view = document.querySelector("#trace .trace-view");
  const tab = document.querySelector("#tabs [role=tab][aria-selected=true]").dataset.tabId;
  const value = (selector) => document.querySelector(selector)?.value ?? null;
  const comparison = ["#compare-checkpoint input", "#compare-text textarea", "#compare-reference textarea"];
  if (tab === "compare") return { tab, comparison: comparison.map(value) };
  if (tab !== "decode") return { tab };
  const { request } = view.unrolled.result();
  const { step, hypothesis } = view.dataset;
  const outputs = [...view.querySelectorAll(".tv-hypotheses li .tv-text")].map((each) => each.textContent);
  const versions = [...view.querySelectorAll(".tv-version .tv-text")].map((each) => each.textContent);
  return { tab, request, outputs, versions, step, hypothesis };
}"""
# Whether the result has edits of attention, which no address has.
HAS_ATTENTION = """() => document.querySelector("#trace .trace-view").unrolled.result().versions.versions
  .some(({ model }) => model.payload.trace.overrides.length)"""
