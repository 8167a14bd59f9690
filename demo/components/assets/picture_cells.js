// Attention pulled to cells of the picture: a click or a stroke chooses them, equal shares for each.
function createPictureCells(root, selection) {
  const large = root.querySelector(".tv-picture-large");
  const { state } = selection;
  let buttons = [];
  let stroke = null; // whether the pointer chooses or lets go while it is down
  let changed = () => {};

  const isOn = (button) => button.getAttribute("aria-pressed") === "true";

  function set(button, on) {
    button.setAttribute("aria-pressed", String(on));
    changed();
  }

  function cell(at) {
    const button = makeButton("tv-cell", ({ detail }) => { if (!detail) set(button, !isOn(button)); }); // by key
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-label", cellName(at, state.model.picture.cells));
    button.tabIndex = at ? -1 : 0;
    return button;
  }

  function close() {
    large.querySelector(".tv-cell-grid")?.remove();
    buttons = [];
  }

  function open(onChange) {
    close();
    changed = onChange;
    const { cells } = state.model.picture;
    const grid = make("div", "tv-cell-grid");
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", t("Cells of the picture: choose those to look at"));
    grid.style.setProperty("--cells", cells);
    buttons = Array.from({ length: cells * cells }, (_, at) => cell(at));
    grid.append(...buttons);
    grid.addEventListener("pointerdown", ({ target, pointerId }) => {
      if (!target.matches(".tv-cell")) return;
      target.releasePointerCapture?.(pointerId); // a finger keeps its first cell otherwise
      stroke = !isOn(target);
      set(target, stroke);
    });
    grid.addEventListener("pointerover", ({ target, buttons: pressed }) => {
      if (pressed && stroke !== null && target.matches(".tv-cell")) set(target, stroke);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) grid.addEventListener(end, () => { stroke = null; });
    grid.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: cells, ArrowUp: -cells }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // the stepper has the same keys
      const here = buttons.indexOf(event.target);
      const next = buttons[clamp(here + step, 0, buttons.length - 1)];
      buttons.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
      next.focus();
    });
    large.append(grid);
  }

  return { open, close, values: () => buttons.map((button) => (isOn(button) ? 1 : 0)) };
}

// In a sentence: one cell by its name, several by their number.
function chosenCells(weights, cells) {
  const chosen = [...weights.keys()].filter((at) => weights[at] > 0);
  return chosen.length === 1 ? cellName(chosen[0], cells) : t("{count} cells", { count: chosen.length });
}
