// The form of modules that joining them requires (demo/widgets/view/assets.py).
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";

const FILES = globSync("demo/**/*.js");

test("no text of a module spans several lines", () => {
  assert.ok(FILES.length > 60);
  /** @type {string[]} */
  const faults = [];
  for (const file of FILES) {
    const text = readFileSync(file, "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
    const visit = (node) => {
      if (ts.isTemplateLiteral(node) && node.getText(source).includes("\n"))
        faults.push(`${file}: ${node.getText(source)}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  assert.deepEqual(faults, []);
});
