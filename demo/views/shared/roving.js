// @ts-check
// A row of chips with one tab stop: the arrow keys, Home and End move the focus among them.

/**
 * @param {HTMLElement} row whose children are the chips, which may be exchanged
 * @param {(chip: HTMLElement | null) => void} onLook the chip under the pointer or with the focus; null for none
 */
export function rove(row, onLook) {
  const chips = () => /** @type {HTMLElement[]} */ ([...row.children]);
  const chipOf = (event) => chips().find((chip) => chip.contains(event.target)) ?? null;
  row.addEventListener("mouseover", (event) => onLook(chipOf(event)));
  row.addEventListener("mouseleave", () => onLook(null));
  row.addEventListener("focusout", () => onLook(null));
  row.addEventListener("focusin", (event) => {
    const chip = chipOf(event);
    onLook(chip);
    for (const other of chips()) other.tabIndex = other === chip ? 0 : -1;
  });
  row.addEventListener("keydown", (event) => {
    const all = chips();
    const here = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const there = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (here < 0 || there === undefined) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, there))].focus();
  });
}
