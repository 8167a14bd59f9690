"""No path over the page leaves form, result, address and labels in disagreement.

`WALK_STEPS=3000 WALK_SEED=7 make release-check ARGS="-k random_path"` walks further, or elsewhere.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.decode_page import visit
from tests.browser.page.walk import Walk
from tests.grids import full_only

STEPS, SEED = int(os.environ.get("WALK_STEPS", "300")), int(os.environ.get("WALK_SEED", "36"))


# The browser's messages about requests that a reload or a link aborts.
LEFT_BEHIND = ["AbortError", "Connection errored out"]


def walk(pages: list[Page], url: str, steps: int, seed: int) -> None:
    """Readers who take turns, each in a browser of their own."""
    chance = random.Random(seed)
    walks = [Walk(page, url, chance) for page in pages]
    for walk in walks:
        visit(walk.page, url)
        walk.check()
    for _ in range(steps):
        chance.choice(walks).step()


@pytest.mark.parametrize("steps", full_only([10, 25]))
def test_a_short_random_path_leaves_the_page_consistent(
    page: Page, app_url: str, expected_errors: list[str], steps: int
) -> None:
    expected_errors += LEFT_BEHIND
    walk([page], app_url, steps, SEED)


@pytest.mark.release
@pytest.mark.timeout(300 + 5 * STEPS)  # seconds until it counts as a hang, however far it walks
def test_a_long_random_path_of_two_browsers_leaves_the_page_consistent(
    open_window: Callable[..., Page], app_url: str, expected_errors: list[str]
) -> None:
    expected_errors += LEFT_BEHIND
    walk([open_window(), open_window()], app_url, STEPS, SEED)
