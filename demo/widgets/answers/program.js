// @ts-check
// “This in PyTorch”: a program as text, fetched when a reader opens it.

import { copyButton, copyText } from "../exports/copying.js";
import { offer, saveButton } from "../exports/files.js";
import { make, makeButton } from "../view/dom.js";
import { reveal } from "../view/scrolling.js";
import { t } from "../view/translate.js";

/**
 * @typedef {{ name: string, script: string, refused?: string, note?: string }} Program refused: the message
 *   if there is no program; note: how its numbers differ from those shown */

/** @param {() => Promise<Program>} fetchProgram */
export function createProgram(fetchProgram) {
  const box = make("div", "pg-box");
  box.hidden = true;
  const code = make("code");
  code.translate = false;
  const text = make("pre", "", code);
  text.tabIndex = 0;
  const message = make("p", "tv-caption");
  message.setAttribute("role", "status");
  const files = make("span", "tv-downloads");
  let name = "";

  const button = makeButton("tv-download", async () => {
    if (!box.hidden) return show(false);
    const program = await fetchProgram().catch(() => /** @type {Program} */ ({ name: "", script: "" }));
    name = program.name;
    code.textContent = program.script;
    message.textContent = program.script
      ? program.note || t("Run it in the project's folder, with torch installed: it computes these numbers.")
      : program.refused || t("The server did not answer. Try again.");
    text.hidden = !program.script;
    files.hidden = !program.script;
    show(true);
    reveal(button, box);
  });
  button.textContent = t("This in PyTorch");

  /** @param {boolean} isOpen */
  function show(isOpen) {
    box.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  }

  files.append(
    copyButton(t("Copy the program"), () => copyText(code.textContent ?? "")),
    saveButton("tv-download", t("Program (.py)"), t("Download the program"), () =>
      offer(code.textContent ?? "", "text/x-python", `${name}.py`),
    ),
  );
  box.append(message, files, text);
  show(false);

  return {
    button,
    box,
    /** @param {boolean} isThere whether the current answer has a program */
    offer(isThere) {
      show(false);
      button.hidden = !isThere;
    },
  };
}
