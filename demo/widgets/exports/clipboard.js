// @ts-check
// Copies a text; falls back to an old method where the clipboard is not available, over http or in a frame.

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyTheOldWay(text);
  }
}

/** @param {string} text */
function copyTheOldWay(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  field.style.cssText = "position: fixed; inset: 0 auto auto 0; opacity: 0";
  (focused?.parentElement ?? document.body).append(field); // beside the focus, or what contains it would close
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return copied;
}
