"""A lab that trains: a button to start, a growing curve, a button to stop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from demo.learn.lab_answers import LiveTraining, lab_server_functions, on_lab
from demo.learn.views import LabsView
from demo.server.page import Answer
from demo.widgets.answers.content import Networks
from demo.work.turns import Turns
from tests.browser.accessibility import violations
from tests.browser.bare_page import BarePage
from tests.fakes.training.paused_training import STEPS, Clock, PausedTraining
from tests.grids import full_only


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Iterator[PausedTraining]:
    """The training of the only lab, under the test's control."""
    paused = PausedTraining()
    monkeypatch.setattr("demo.learn.lab_answers.labs", lambda: (paused.lab(),))
    # Results are copied at intervals; a test may release two steps within one interval.
    monkeypatch.setattr("demo.learn.lab_answers.COPY_SECONDS", 0.0)
    yield paused
    paused.let(1000)


@pytest.fixture
def card(bare: BarePage, paused: PausedTraining) -> Locator:
    training = LiveTraining(Turns(), clock=Clock())

    def compute(data: object) -> Answer:
        return on_lab(data, training, "a session")

    list_labs, *_ = lab_server_functions(training, Networks())
    bare.open(LabsView(elem_id="labs", server_functions=[list_labs, compute]))
    bare.page.get_by_role("button", name="Held").click()
    card = bare.page.locator("#labs .labs .lb-lab")
    expect(card.locator(".tv-inspect-summary")).to_have_text("0 steps at speed 1.")
    return card


def parts(card: Locator) -> tuple[Locator, Locator]:
    return card.locator(".lb-train"), card.locator(".tv-inspect-summary")


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_a_pupil_starts_watches_and_stops_a_training(
    card: Locator, paused: PausedTraining, width: int
) -> None:
    page = card.page
    page.set_viewport_size({"width": width, "height": 900})
    button, status = parts(card)
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


def test_a_training_finishes_while_other_controls_change(card: Locator, paused: PausedTraining) -> None:
    button, status = parts(card)
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


def test_a_changed_setting_ends_a_training(card: Locator, paused: PausedTraining) -> None:
    button, status = parts(card)
    button.click()
    paused.let(1)
    expect(status).to_have_text("1 steps at speed 1.")
    card.get_by_label("speed").press("ArrowRight")
    expect(status).to_have_text("0 steps at speed 2.")
    expect(button).to_have_text("Train")
    paused.let(1)
    card.get_by_label("speed").press("ArrowLeft")
    expect(card.locator(".lb-train-status")).to_have_text("Stopped because you changed what is trained.")
