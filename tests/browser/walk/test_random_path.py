"""No path over the page leaves form, result, address and labels in disagreement, or loses a text.

`WALK_STEPS=3000 WALK_SEED=7 make release-check ARGS="-k random_path"` walks further, or elsewhere. A failure
prints its steps, which `WALK_PATH="0:reload:12 1:move:3"` in place of these walks again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import pytest
from playwright.sync_api import Page

from tests.browser.decode_page import visit
from tests.browser.walk import decode_acts, page_acts
from tests.browser.walk.oracle import HAS_ATTENTION
from tests.browser.walk.walk import LEFT_BEHIND, Step, Walk, random_path, read_path
from tests.grids import full_only, release_only

STEPS, SEED = int(os.environ.get("WALK_STEPS", "1000")), int(os.environ.get("WALK_SEED", "36"))
PATH = os.environ.get("WALK_PATH", "")
ACTS: dict[str, Callable[..., str]] = {
    name: act
    for module in (decode_acts, page_acts)
    for name, act in vars(module).items()
    if getattr(act, "__module__", "") == module.__name__ and not name.startswith("_")
}


def walk(pages: list[Page], url: str, steps: Iterable[Step]) -> list[Walk]:
    """Readers who take turns, each in a browser of their own."""
    walks = [Walk(page, url) for page in pages]
    for reader in walks:
        visit(reader.page, url)
        reader.check()
    path: list[Step] = []
    for step in steps:
        path.append(step)
        try:
            walks[step.reader].take(step.act, ACTS[step.act], step.seed)
        except AssertionError as error:
            pytest.fail(f'{error}\nWALK_PATH="{" ".join(map(str, path))}"', pytrace=False)
    return walks


def expect_the_same(walk: Walk, other: Page) -> None:
    """A reload, and another browser at the same address, show what the page shows."""
    walk.leave_lesson()
    before = walk.snapshot()
    walk.page.reload()
    assert walk.snapshot() == before, walk.latest()
    if before["tab"] == "decode" and walk.page.evaluate(HAS_ATTENTION):
        return
    other.goto(walk.page.url)
    assert Walk(other, walk.url).snapshot() == before, walk.latest()


@pytest.mark.parametrize("steps", [*full_only([25]), *release_only([10])])
def test_a_short_random_path_leaves_the_page_consistent(
    open_window: Callable[..., Page], app_url: str, expected_errors: list[str], steps: int
) -> None:
    expected_errors += LEFT_BEHIND
    (reader,) = walk([open_window()], app_url, random_path(list(ACTS), 1, steps, SEED))
    expect_the_same(reader, open_window())


@pytest.mark.release
@pytest.mark.timeout(1500 + 8 * STEPS)  # seconds until it counts as a hang, however far it walks
def test_a_long_random_path_of_two_browsers_leaves_the_page_consistent(
    open_window: Callable[..., Page], app_url: str, expected_errors: list[str]
) -> None:
    expected_errors += LEFT_BEHIND
    steps = read_path(PATH) if PATH else random_path(list(ACTS), 2, STEPS, SEED)
    for reader in walk([open_window(), open_window()], app_url, steps):
        expect_the_same(reader, open_window())
