"""The texts and accessible names outside the dock of a lesson."""

from __future__ import annotations

from playwright.sync_api import Page

# The texts outside the dock and the veil, those of one block together. A text is in sight if it lies within
# the window and no scrolled box cuts it off.
TEXTS = """([inSight]) => {
  const skip = "aside.lesson, .lesson-outline, [inert], script, style, noscript, template";
  const see = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const width = document.documentElement.clientWidth;
  const height = window.innerHeight;
  const fold = document.querySelector("aside.lesson.ls-folded")?.getBoundingClientRect();
  const ceiling = fold && fold.top < 2 ? fold.bottom : 0;
  const floor = fold && fold.top >= 2 ? fold.top : height;
  const isInSight = (box, element) => {
    let { left, top, right, bottom } = box;
    [left, top, right, bottom] = [Math.max(left, 0), Math.max(top, ceiling), Math.min(right, width),
      Math.min(bottom, floor)];
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const around = at.getBoundingClientRect();
      [left, top] = [Math.max(left, around.left), Math.max(top, around.top)];
      [right, bottom] = [Math.min(right, around.right), Math.min(bottom, around.bottom)];
    }
    return right - left > 0.6 * box.width && bottom - top > 0.6 * box.height && box.width > 0;
  };
  const block = (element) => {
    let at = element;
    while (at.parentElement && (at.namespaceURI !== "http://www.w3.org/1999/xhtml"
      ? !["text", "svg"].includes(at.localName) : getComputedStyle(at).display.startsWith("inline")))
      at = at.parentElement;
    return at;
  };
  const texts = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent.trim();
    if (!text || parent.closest(skip) || !see(parent)) continue;
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()];
    if (!boxes.length || (inSight && !boxes.some((box) => isInSight(box, parent)))) continue;
    const of = block(parent);
    texts.set(of, texts.has(of) ? `${texts.get(of)} ${text}` : text);
  }
  const all = [...texts.values()];
  if (!inSight) return all; // what the reader or the link has typed is part of the question
  for (const field of document.querySelectorAll("input:not([type=hidden]), textarea, select")) {
    if (field.closest(skip) || !see(field)) continue;
    if (isInSight(field.getBoundingClientRect(), field)) all.push(field.value);
  }
  return all;
}"""
NAMES = """() => {
  const see = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const names = [];
  const named = "[aria-label], [title], [alt], [aria-valuetext], svg title, svg desc";
  for (const element of document.querySelectorAll(named)) {
    if (element.closest("aside.lesson, .lesson-outline, [inert]")) continue;
    if (!see(element.closest("svg") ?? element)) continue;
    for (const name of ["aria-label", "title", "alt", "aria-valuetext"])
      if (element.getAttribute(name)) names.push(element.getAttribute(name));
    if (["title", "desc"].includes(element.localName)) names.push(element.textContent);
  }
  return names;
}"""


def texts_in_sight(page: Page) -> list[str]:
    """The texts and values of fields in the window outside the dock."""
    return list(page.evaluate(TEXTS, [True]))


def texts_and_names(page: Page) -> list[str]:
    """All texts and accessible names outside the dock and the veil, also those below the window."""
    return [*page.evaluate(TEXTS, [False]), *page.evaluate(NAMES)]
