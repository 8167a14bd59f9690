// @ts-check
// “This in PyTorch”: a program as text, fetched when somebody wants to read it.

import { make, makeButton } from "../dom.js";
import { copyButton, copyText } from "../exports/copying.js";
import { offer, saveButton } from "../exports/files.js";
import { reveal } from "../reveal.js";
import { t } from "../translate.js";

/** @typedef {{ name: string, script: string, said?: string }} Program or what to say where there is none */

/** @param {() => Promise<Program>} fetchProgram */
export function createProgram(fetchProgram) {
  const box = make("div", "pg-box");
  box.hidden = true;
  const code = make("code");
  code.translate = false;
  const text = make("pre");
  text.tabIndex = 0;
  text.append(code);
  const said = make("p", "tv-caption");
  said.setAttribute("role", "status");
  const files = make("span", "tv-downloads");
  let name = "";

  const button = makeButton("tv-download", async () => {
    if (!box.hidden) return show(false);
    const found = await fetchProgram().catch(() => ({ name: "", script: "", said: "" }));
    name = found.name;
    code.textContent = found.script;
    said.textContent = found.script
      ? t("Run it in the project's folder, with torch installed: it computes these numbers.")
      : found.said || t("The server did not answer. Try again.");
    text.hidden = !found.script;
    files.hidden = !found.script;
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
  box.append(said, files, text);
  show(false);

  return {
    button,
    box,
    /** @param {boolean} isThere whether there is a program for what is on show now */
    offer(isThere) {
      show(false);
      button.hidden = !isThere;
    },
  };
}
