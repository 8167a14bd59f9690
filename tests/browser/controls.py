"""The controls of the first screen, and the number of tab stops to them."""

from __future__ import annotations

from playwright.sync_api import Page

# Seen: not transparent, not clipped away, and at least a strip of it within the window and within everything
# around it that scrolls.
SEEN_CONTROLS = """() => {
  const least = 4;  // pixels
  const cut = (box, around) => ({
    left: Math.max(box.left, around.left), right: Math.min(box.right, around.right),
    top: Math.max(box.top, around.top), bottom: Math.min(box.bottom, around.bottom),
  });
  const seen = (element) => {
    // A radio button or a box may be drawn by its label alone.
    const box = element.matches("[type=radio], [type=checkbox]") && element.closest("label");
    const shown = box || element;
    if (!shown.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const window = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    let part = cut(shown.getBoundingClientRect(), window);
    for (let around = shown.parentElement; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.clipPath !== "none") return false;
      if (style.overflow !== "visible") part = cut(part, around.getBoundingClientRect());
    }
    if (getComputedStyle(shown).clipPath !== "none") return false;
    return part.right - part.left >= least && part.bottom - part.top >= least;
  };
  const name = (element) => {
    const called = element.getAttribute("aria-label") || element.innerText || element.title;
    return `${element.tagName.toLowerCase()} ${String(called || element.className).trim().slice(0, 40)}`;
  };
  const all = "[tabindex], button, a, input, select, textarea, summary, [role=tab], [role=slider]";
  return [...document.querySelectorAll(all)].filter(seen).map(name);
}"""
HERE = "selector => Boolean(document.activeElement?.closest(selector))"


def seen_controls(page: Page) -> list[str]:
    """Every control within the window's current view, by its element and its name.

    Each button, link, field, fold and tab counts one, also where a group is one stop of the Tab key, and so
    does whatever else takes the focus, such as a term or a scroller.
    """
    controls: list[str] = page.evaluate(SEEN_CONTROLS)
    return controls


def tabs_to(page: Page, selector: str, most: int) -> int:
    """The number of Tab presses to an element; `most` + 1 if `most` is not enough."""
    for pressed in range(most + 1):
        if page.evaluate(HERE, selector):
            return pressed
        page.keyboard.press("Tab")
    return most + 1
