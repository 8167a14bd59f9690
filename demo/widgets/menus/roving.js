// @ts-check
// A row of chips, or a list of buttons, with one tab stop: the arrow keys, Home and End move the focus among them.

const HORIZONTAL_KEYS = { next: "ArrowRight", previous: "ArrowLeft" };
export const VERTICAL_KEYS = { next: "ArrowDown", previous: "ArrowUp" };

/**
 * @param {HTMLElement} row holds the chips, which may be replaced
 * @param {(chip: HTMLElement | null) => void} onLook receives the chip under the pointer or with the focus, or null
 * @param {{ chips?: () => HTMLElement[], keys?: typeof HORIZONTAL_KEYS }} [options] chips: by default the children
 */
export function rove(row, onLook, options = {}) {
  const { keys = HORIZONTAL_KEYS, chips = () => /** @type {HTMLElement[]} */ ([...row.children]) } = options;
  const chipOf = (event) => chips().find((chip) => chip.contains(event.target)) ?? null;
  row.addEventListener("mouseover", (event) => onLook(chipOf(event)));
  row.addEventListener("mouseleave", () => onLook(null));
  row.addEventListener("focusout", () => onLook(null));
  row.addEventListener("focusin", (event) => {
    const chip = chipOf(event);
    onLook(chip);
    stopAt(chips(), chip);
  });
  row.addEventListener("keydown", (event) => {
    const all = chips();
    const index = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const target = { [keys.next]: index + 1, [keys.previous]: index - 1, Home: 0, End: all.length - 1 }[event.key];
    if (index < 0 || target === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere these keys step through the output
    all[Math.max(0, Math.min(all.length - 1, target))].focus();
  });
}

/**
 * @param {HTMLElement[]} chips
 * @param {HTMLElement | null} stop the chip that the Tab key reaches
 */
export function stopAt(chips, stop) {
  for (const chip of chips) chip.tabIndex = chip === stop ? 0 : -1;
}
