// @ts-check
// A press on a button counts also where the page moves under it before the finger is lifted, as it does while a step's
// state arrives above the dock. Whoever moves away takes it back.

const FAR = 10; // pixels

/** @param {HTMLElement} root whose buttons they are */
export function holdPresses(root) {
  /** @type {{ button: Element, x: number, y: number } | null} */
  let held = null;

  root.addEventListener("pointerdown", ({ target, pointerId, clientX: x, clientY: y }) => {
    const button = /** @type {Element} */ (target).closest("button");
    held = button && { button, x, y };
    button?.setPointerCapture(pointerId); // a click goes to what has the pointer
  });
  root.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
    if (!held || Math.hypot(clientX - held.x, clientY - held.y) < FAR) return;
    if (held.button.hasPointerCapture(pointerId)) held.button.releasePointerCapture(pointerId);
  });
}
