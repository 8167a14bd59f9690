"""A lab that trains: a button to start, a growing curve, a button to stop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.interface import build_demo, launch_settings
from demo.service.context import AppContext
from tests.browser.accessibility import violations
from tests.browser.conftest import Serve
from tests.fakes.training.paused_training import STEPS, PausedTraining
from tests.grids import full_only

LAB = "#labs .labs .lb-lab"
LINK = "?tab=learn&lab=held"


@pytest.fixture
def paused() -> PausedTraining:
    return PausedTraining()


@pytest.fixture
def url(
    context: AppContext, paused: PausedTraining, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A page whose only lab trains under the test's control."""
    for module in ("demo.controls.labs", "demo.links.parameters"):
        monkeypatch.setattr(f"{module}.labs", lambda: (paused.lab(),))
    # Results are copied at intervals; a test may release two steps within one interval.
    monkeypatch.setattr("demo.service.live_training.COPY_SECONDS", 0.0)
    yield serve(build_demo(context), **launch_settings(uploads=False))
    paused.let(1000)


def lab(page: Page, url: str) -> tuple[Locator, Locator, Locator]:
    page.goto(f"{url}{LINK}")
    card = page.locator(LAB)
    expect(card.locator(".tv-inspect-summary")).to_have_text("0 steps at speed 1.")
    return card, card.locator(".lb-train"), card.locator(".tv-inspect-summary")


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_a_pupil_starts_watches_and_stops_a_training(
    page: Page, url: str, paused: PausedTraining, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    card, button, status = lab(page, url)
    expect(button).to_have_text("Train")
    expect(card.locator("progress")).to_be_hidden()
    button.click()
    expect(button).to_have_text("Stop")
    paused.let(1)
    expect(status).to_have_text("1 steps at speed 1.")
    paused.let(1)
    expect(status).to_have_text("2 steps at speed 1.")
    expect(card.locator("progress")).to_have_attribute("value", "0.5")
    assert card.get_attribute("aria-busy") == "true"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page, "#labs") == []
    # The server gets the request to stop before the current step ends.
    with page.expect_response(lambda answer: '"stop"' in (answer.request.post_data or "")):
        button.click()
    paused.let(1)
    expect(card.locator(".lb-train-status")).to_have_text("Stopped.")
    expect(button).to_have_text("Train again")
    expect(status).to_have_text("3 steps at speed 1.")
    assert card.get_attribute("aria-busy") == "false"


def test_a_training_finishes_while_other_controls_change(
    page: Page, url: str, paused: PausedTraining
) -> None:
    card, button, status = lab(page, url)
    button.click()
    paused.let(1)
    expect(status).to_have_text("1 steps at speed 1.")
    card.get_by_label("colour").select_option("blue")
    paused.let(STEPS)
    expect(card.locator(".lb-train-status")).to_have_text("Trained.")
    expect(status).to_have_text("4 steps at speed 1.")
    speed = card.get_by_label("speed")
    speed.focus()
    speed.press("ArrowRight")
    expect(status).to_have_text("0 steps at speed 2.")
    expect(button).to_have_text("Train")
    speed.press("ArrowLeft")
    expect(status).to_have_text("4 steps at speed 1.")  # the earlier training remains
    expect(button).to_have_text("Train again")


def test_a_changed_setting_ends_a_training(page: Page, url: str, paused: PausedTraining) -> None:
    card, button, status = lab(page, url)
    button.click()
    paused.let(1)
    expect(status).to_have_text("1 steps at speed 1.")
    card.get_by_label("speed").press("ArrowRight")
    expect(status).to_have_text("0 steps at speed 2.")
    expect(button).to_have_text("Train")
    paused.let(1)
    card.get_by_label("speed").press("ArrowLeft")
    expect(card.locator(".lb-train-status")).to_have_text("Stopped because you changed what is trained.")
