"""Models of a loopback Hub from the list to every view, their failures, and a run that is pushed there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.page.interface import build_demo, launch_settings
from demo.server.zero_gpu import build_launcher
from demo.work.context import AppContext
from demo.work.training_service import TrainingService
from models.registry.registry import Registry
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import Runs
from tests.browser import compare_page, training_page
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import REVERSE, decode, open_chip, results, title_of, visit, wait_for_result
from tests.browser.training.test_training_page import small
from tests.fakes.servers.hub_accounts import Account, take_uploads
from tests.fakes.servers.hub_page import (
    GATED,
    MARIAN,
    NATIVE,
    NLLB,
    WEIGHTS,
    make_context,
    make_files,
    make_hub,
)
from tests.fakes.servers.hub_server import FakeHub

TOKEN = "hf_a_pupils_own_token"

TWO_CLICKS = "(button) => (button.click(), button.click(), document.querySelectorAll('.asks-first').length)"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    return make_files(tmp_path_factory.mktemp("repositories"), ROOT / "checkpoints" / REVERSE)


@pytest.fixture
def server(files: Mapping[str, Mapping[str, bytes]]) -> Iterator[FakeHub]:
    served = FakeHub(files)
    served.slow = {WEIGHTS}
    yield served
    served.close()


@pytest.fixture
def shelf(page: Page, serve: Serve, server: FakeHub, tmp_path: Path) -> Page:
    """The page with the section of the Hub open."""
    context = make_context(ROOT / "checkpoints", make_hub(server, tmp_path / "cache"))
    visit(page, serve(build_demo(context), **launch_settings(uploads=False)))
    open_shelf(page)
    return page


def open_shelf(page: Page) -> None:
    page.get_by_role("tab", name="Checkpoints").click()
    expect(page.locator("#hub")).to_be_hidden()
    choose_shelf(page, "From the Hugging Face Hub")
    expect(page.locator("#hub .hub:not([data-ready='0'])")).to_be_visible()
    expect(page.locator("#gallery")).to_be_hidden()


def choose_shelf(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).check()


def card(page: Page, repo: str, section: str = "hb-items") -> Locator:
    return page.locator(f'#hub .{section} [data-name="{repo}"]')


def phase(model_card: Locator, name: str) -> None:
    expect(model_card).to_have_attribute("data-phase", name)


def look_up(page: Page, repo: str) -> None:
    page.get_by_label("Any other model").fill(repo)
    page.get_by_label("Any other model").press("Enter")
    expect(page.locator("#hub .hb-ask")).to_be_enabled()


@pytest.mark.full
def test_models_of_the_list_are_added_and_work_in_every_view(shelf: Page, server: FakeHub) -> None:
    marian, nllb = card(shelf, MARIAN), card(shelf, NLLB)
    server.trickle = 0.001
    marian.get_by_role("button", name="Add").click()
    expect(marian.get_by_role("progressbar")).to_be_visible()
    nllb.get_by_role("button", name="Add").click()
    phase(marian, "here")
    phase(nllb, "here")
    assert server.bodies().count(WEIGHTS) == 2
    expect(shelf.locator(f'#gallery [data-name="{MARIAN}"]')).to_be_attached()

    before = results(shelf)
    marian.get_by_role("button", name="Open Tiny Marian in Decode").click()
    wait_for_result(shelf, before)  # until the shown text is decoded
    expect(shelf.locator("#checkpoint input")).to_have_value(title_of(MARIAN))
    open_chip(shelf, "examples")
    expect(shelf.locator("#source-tokens .st-chip").first).to_be_visible()
    decode(shelf, "el gato duerme")
    shelf.locator("#trace .tv-following").click()
    expect(shelf.locator("#trace .tv-status")).to_contain_text("step 2 of")
    for chart in ("tv-heatmap", "tv-tree"):
        expect(shelf.locator(f"#trace .{chart} .tv-painting")).to_be_visible()

    open_chip(shelf, "checkpoint")
    shelf.locator("#checkpoint input").click()
    shelf.get_by_role("option", name=title_of(NLLB)).click()
    expect(shelf.locator("#variant-target input")).to_be_visible()
    for picker, language in (("#variant-source", "Spanish"), ("#variant-target", "French")):
        shelf.locator(f"{picker} input").click()
        # Look in this picker alone: the list of the previous one takes a moment to close.
        shelf.locator(picker).get_by_role("option", name=language).click()
    expect(shelf.locator("#checkpoint input")).to_have_value(title_of(f"{NLLB}@spa_Latn-fra_Latn"))
    decode(shelf, "el gato")
    expect(shelf.locator("#trace .tv-strip")).to_contain_text("fra_Latn")

    shelf.get_by_role("tab", name="Compare").click()
    shelf.locator("#compare-checkpoint input").click()
    expect(shelf.get_by_role("option", name=f"{NLLB}, 8 bits")).to_have_count(0)
    shelf.get_by_role("option", name=f"{NLLB}@spa_Latn-fra_Latn").click()
    compare_page.tick(shelf, "Greedy", "Beam 4")
    compare_page.compare(shelf)
    expect(compare_page.rows(shelf)).to_have_count(2)
    expect(compare_page.rows(shelf).first).to_contain_text("nats")


@pytest.mark.full
def test_a_model_outside_the_list_is_added_and_removed_on_a_phone(shelf: Page) -> None:
    shelf.set_viewport_size({"width": 390, "height": 844})
    assert shelf.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(shelf.locator("#hub .hb-filter")).to_be_hidden()  # three are seen at a glance
    expect(card(shelf, MARIAN).get_by_role("link")).to_have_attribute(
        "href", f"https://huggingface.co/{MARIAN}"
    )
    look_up(shelf, f"https://huggingface.co/{NATIVE}")
    result = card(shelf, NATIVE, "hb-found")
    expect(result).to_contain_text("A checkpoint of this program")
    result.get_by_role("button", name="Add").focus()
    shelf.keyboard.press("Enter")
    phase(result, "here")
    expect(result.get_by_role("button", name="Open")).to_be_focused()
    in_gallery = shelf.locator(f'#gallery [data-name="{NATIVE}"]')
    choose_shelf(shelf, "On this machine")
    in_gallery.get_by_text("The whole card").click()
    expect(in_gallery.locator(".cg-body")).to_have_text(f"Its authors' card: https://huggingface.co/{NATIVE}")
    choose_shelf(shelf, "From the Hugging Face Hub")
    remove = result.get_by_role("button", name="Remove")
    remove.dblclick()  # in one place: it only asks
    assert remove.evaluate(TWO_CLICKS) == 1  # before an event of the first question
    expect(shelf.locator(".asks-first")).to_contain_text(re.compile(".* kB"))
    phase(result, "here")
    shelf.locator(".asks-first .asks-agree").click()
    phase(result, "away")
    expect(in_gallery).to_have_count(0)


@pytest.mark.full
def test_an_error_appears_beside_the_field_that_caused_it(shelf: Page, server: FakeHub) -> None:
    alert = shelf.locator("#hub .hb-lookup [role=alert]")
    for repo, says in (
        ("no/body", "There is no public model"),
        (GATED, "accepted its terms"),
        ("x", "owner/name"),
    ):
        look_up(shelf, repo)
        expect(alert).to_contain_text(says)
    nobody, marian, nllb = card(shelf, "no/body"), card(shelf, MARIAN), card(shelf, NLLB)
    nobody.get_by_role("button", name="Add").click()
    expect(nobody.get_by_role("alert")).to_contain_text("There is no public model")
    expect(marian.locator("[role=alert]")).to_be_empty()

    server.trickle = 0.004
    marian.get_by_role("button", name="Add").click()
    expect(marian.get_by_role("progressbar")).to_be_visible()
    marian.get_by_role("button", name="Cancel").click()
    phase(marian, "away")
    expect(marian.locator("[role=alert]")).to_be_empty()

    server.close()
    nllb.get_by_role("button", name="Add").click()
    expect(nllb.get_by_role("alert")).to_contain_text("did not arrive from the Hub")
    expect(shelf.locator(".toast-body")).to_have_count(0)
    shelf.get_by_role("tab", name="Decode").click()
    assert decode(shelf, "hola")


@pytest.mark.full
def test_a_trained_run_is_pushed_to_its_owners_account(
    page: Page, serve: Serve, server: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_uploads(monkeypatch)
    server.accounts = {TOKEN: Account("ann")}
    visit(page, serve(build_demo(training_context(tmp_path, server)), **launch_settings()))
    training_page.open_tab(page)
    small(page, epochs=1, pairs=200)
    expect(page.locator("#run-push")).to_be_hidden()
    page.locator("#train-begin").click()
    training_page.wait_for_state(page, "finished")
    page.get_by_role("button", name="Send to the Hub").click()
    preview = page.locator("#push-view .pu-card")
    expect(preview).to_contain_text("your-name/your-model")
    page.locator("#push-name").get_by_role("textbox").fill("ann/backwards")
    expect(preview).to_contain_text('from_pretrained("ann/backwards")')
    box = page.locator("#push-token input")
    assert (box.get_attribute("type"), box.get_attribute("autocomplete")) == ("password", "off")

    for token, selector, says in (
        ("hf_not_known_there", ".pu-problem", "The Hub does not know this token"),
        (TOKEN, ".pu-status", "ann/backwards is on the Hub, private"),
    ):
        box.fill(token)
        page.locator("#push-send").click()
        expect(page.locator(f"#push-view {selector}")).to_contain_text(says)
        expect(box).to_have_value("")
    link = page.locator("#push-view .pu-done a")
    expect(link).to_have_attribute("href", f"{server.url}/ann/backwards")
    assert "ann/backwards" in server.private
    assert {"model.safetensors", "README.md", "config.json"} <= set(server.files["ann/backwards"])
    assert TOKEN not in page.evaluate(
        "JSON.stringify({...localStorage}) + document.documentElement.outerHTML"
    )


def training_context(folder: Path, server: FakeHub) -> AppContext:
    limits = replace(TrainingLimits(), root=folder / "runs")
    runs = Runs(limits.root, limits.total_bytes)
    training = TrainingService(runs, build_launcher(runs, limits), limits)
    hub = make_hub(server, folder / "cache")
    registry = Registry(ROOT / "checkpoints", training.checkpoint_folder, hub)
    return AppContext(registry, "cpu", training=training, hub=hub)
