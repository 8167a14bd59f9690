"""Finds texts on a page, in any of its states, that are cut off and cannot be read."""

from __future__ import annotations

from playwright.sync_api import Page

# Texts that an element with hidden overflow shows only in part. Texts with a hint, texts for screen readers
# alone and texts that a reader can scroll to do not count; but a sentence must not need sideways scrolling,
# unless it is on a button in a row of buttons.
_CUT = r"""() => {
  const SENTENCE = 4; // words
  const EDGE = 1.5; // pixels that rounding may take
  const axes = { X: ["left", "right"], Y: ["top", "bottom"] };
  const onAnyScreen = ({ width, height }) => width > 1 && height > 1;
  const hidden = (element) =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    || element.closest("svg, select, option, textarea, pre, script, style, [title]:not([title=''])");

  function cutBy(text, rect) {
    const isSentence = text.trim().split(/\s+/).length >= SENTENCE && !text.element.closest("button");
    const open = new Set(["X", "Y"]);
    for (let box = text.element; box !== document.documentElement && open.size; box = box.parentElement) {
      const style = getComputedStyle(box);
      const frame = box.getBoundingClientRect();
      if (style.clipPath !== "none" || (frame.width <= 1 && style.overflow !== "visible")) return null;
      for (const axis of [...open]) {
        const [start, end] = axes[axis];
        const flow = style[`overflow${axis}`];
        const scrolls = flow === "auto" || flow === "scroll";
        const outside = rect[start] < frame[start] - EDGE || rect[end] > frame[end] + EDGE;
        if (scrolls && !(axis === "X" && isSentence)) open.delete(axis);
        else if (flow !== "visible" && outside) return box;
      }
      if (style.position === "fixed") return null;
    }
    return null;
  }

  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || hidden(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = Object.assign(new String(node.textContent), { element });
    for (const rect of [...range.getClientRects()].filter(onAnyScreen)) {
      const box = cutBy(text, rect);
      if (!box) continue;
      found.push(`${node.textContent.trim().slice(0, 60)} (${element.className || element.tagName})`
        + ` by ${box.className || box.id || box.tagName}`);
      break;
    }
  }
  return found;
}"""
# Parts of the header and of the bar of commands that overlap.
_ON_TOP = """() => {
  const parts = [...document.querySelectorAll(
    ".page-header :is(h1, p, select, button), #tabs [role=tab], #command button")];
  const shown = parts.filter((part) => part.checkVisibility() && part.getBoundingClientRect().width > 1);
  const texts = shown.map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return { part, box: range.getBoundingClientRect() };
  });
  return texts.flatMap((one, at) => texts.slice(at + 1).filter(({ part, box }) =>
    !one.part.contains(part) && box.width && one.box.width
    && Math.min(one.box.right, box.right) - Math.max(one.box.left, box.left) > 1
    && Math.min(one.box.bottom, box.bottom) - Math.max(one.box.top, box.top) > 1,
  ).map(({ part }) => `${one.part.textContent} and ${part.textContent}`));
}"""
# Rows of chips that a border cuts through, at the place to which the page has scrolled them.
_HALF_ROWS = """() => [...document.querySelectorAll(".tv-band-source, .tv-strip")].flatMap((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return [...row.children].filter((chip) => {
    const box = chip.getBoundingClientRect();
    return (box.top < top - 1 && box.bottom > top + 1) || (box.top < bottom - 1 && box.bottom > bottom + 1);
  }).map((chip) => `${row.className}: ${chip.textContent}`);
})"""
# The elements that scroll in each visible pane.
_SCROLLERS = """() => {
  const scrolls = (flow, whole, seen) => (flow === "auto" || flow === "scroll") && whole > seen + 1;
  const panes = [...document.querySelectorAll(".tv-pane")].filter((pane) => pane.checkVisibility());
  return panes.map((pane) => [...pane.querySelectorAll("*")].filter((part) => {
    const { overflowX, overflowY } = getComputedStyle(part);
    return part.checkVisibility() && !part.matches("textarea, pre")
      && (scrolls(overflowX, part.scrollWidth, part.clientWidth)
        || scrolls(overflowY, part.scrollHeight, part.clientHeight));
  }).map((part) => part.className));
}"""


def cut_texts(page: Page) -> list[str]:
    """Texts that are cut off, and by which element; overlapping parts of the header and the commands."""
    return [*page.evaluate(_CUT), *page.evaluate(_ON_TOP)]


def half_rows(page: Page) -> list[str]:
    """Chips of source and output of which only a part of the height is visible."""
    return list(page.evaluate(_HALF_ROWS))


def scrollers(page: Page) -> list[list[str]]:
    """The classes of the scrolling elements in each visible pane."""
    return list(page.evaluate(_SCROLLERS))
