"""A checkpoint with languages or tasks, in the Compare and Decode tabs and in a link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from models.registry.hugging_face.files import adopt
from models.registry.registry import Registry
from tests.browser.compare_page import choose_mode, compare, visit_comparison, wait_for_comparison
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import SPANISH, open_share, title_of
from tests.browser.link_page import SAY_NO
from tests.fakes.hugging_face.folders import save_repository

THERE, BACK, TASK = "nllb@spa_Latn-fra_Latn", "nllb@fra_Latn-spa_Latn", "t5@summarization"


@pytest.fixture
def url(tmp_path: Path, serve: Serve) -> str:
    """A page with one of our networks, an NLLB and a T5."""
    (tmp_path / SPANISH).symlink_to(ROOT / "checkpoints" / SPANISH)
    for family in ("nllb", "t5"):
        save_repository(tmp_path / family / "transformers", family)
        adopt(tmp_path / family)
    return serve(build_demo(AppContext(Registry(tmp_path), "cpu")), **launch_settings())


def pick(page: Page, elem_id: str, option: str) -> None:
    page.locator(f"#{elem_id} input").click()
    page.get_by_role("option", name=option).first.click()


def expect_value(page: Page, elem_id: str, value: str) -> None:
    expect(page.locator(f"#{elem_id} input")).to_have_value(title_of(value))


def choose_two_variants(page: Page, url: str) -> None:
    visit_comparison(page, url)
    expect(page.locator("[id^=compare-variant]")).to_have_count(0)
    pick(page, "compare-checkpoint", "nllb")
    expect_value(page, "compare-variant-source", "French (fra_Latn)")
    page.locator("#compare-text textarea").fill("mi perro")
    pick(page, "compare-variant-source", "Spanish")
    expect_value(page, "compare-checkpoint", "nllb@spa_Latn-spa_Latn")
    pick(page, "compare-variant-target", "French")
    expect_value(page, "compare-checkpoint", THERE)
    expect(page.locator("#compare-text textarea")).to_have_value("mi perro")
    choose_mode(page, "Two checkpoints")
    pick(page, "compare-other-checkpoint", "t5")
    pick(page, "compare-other-variant-task", "Summarization")
    expect_value(page, "compare-other-checkpoint", TASK)
    page.locator("#compare-strategy").get_by_role("radio", name="Greedy").check()
    compare(page, "checkpoints")
    expect(page.locator(".cp-side-title")).to_have_text([THERE, TASK])
    page.locator("#compare-swap-checkpoints").click()
    for elem_id, value in (
        ("checkpoint", TASK),
        ("other-checkpoint", THERE),
        ("variant-task", "Summarization"),
    ):
        expect_value(page, f"compare-{elem_id}", value)
    expect_value(page, "compare-other-variant-target", "French (fra_Latn)")
    expect(page.locator("#compare-text textarea")).to_have_value("mi perro")


def follow_and_copy_a_link(page: Page, url: str, tab: str) -> None:
    pair = f"&mode=checkpoints&other_checkpoint={BACK}" if tab == "compare" else ""
    page.goto(f"{url}?tab={tab}&checkpoint={THERE}{pair}&text=mi+perro&strategy=greedy")
    if tab == "compare":
        wait_for_comparison(page, 0)
        expect_value(page, "compare-other-variant-target", "Spanish (spa_Latn)")
        expect(page.locator(".cp-side-title")).to_have_text([THERE, BACK])
    else:
        page.wait_for_selector("#trace [data-restored=true]")
        expect(page.locator("#trace .tv-strip")).to_contain_text("fra_Latn")
    name = "compare-" if tab == "compare" else ""
    expect_value(page, f"{name}checkpoint", THERE)
    expect_value(page, f"{name}variant-source", "Spanish (spa_Latn)")
    expect(page.locator(".link-notice")).to_be_hidden()
    open_share(page, tab)
    page.locator(f"#share-{tab} .sh-copy").click()
    copy = page.locator(f"#share-{tab} .sh-link")
    expect(copy).to_have_value(re.compile(f"checkpoint={THERE.replace('@', '%40')}"))
    if tab == "compare":
        expect(copy).to_have_value(re.compile(f"other_checkpoint={BACK.replace('@', '%40')}"))


@pytest.mark.full
def test_variants_are_chosen_compared_and_linked(page: Page, url: str, subtests: pytest.Subtests) -> None:
    page.add_init_script(SAY_NO)
    with subtests.test("two variants are chosen and compared"):
        choose_two_variants(page, url)
    for tab in ("decode", "compare"):
        with subtests.test(f"a copied link of {tab} opens the same variants"):
            follow_and_copy_a_link(page, url, tab)
