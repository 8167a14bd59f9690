"""The card that ranks finished hypotheses by another length penalty, without the server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from models.decoding.search.strategy import LengthNormalizer
from tests.browser.accessibility import violations
from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab
from tests.browser.questions import questions
from tests.browser.trace.ranking_page import alpha, lengths_trace, open_ranking, texts
from tests.browser.trace_page import expect_selection
from tests.fakes.traces import hostile_trace, library_trace
from tests.grids import full_only


def scores(view: Locator) -> Locator:
    return view.locator(".tv-hypothesis > .tv-number:not(.tv-minor)")


def test_the_list_opens_as_ranked_and_the_slider_keeps_its_arrow_keys(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    expect(scores(view)).to_have_text(["−2.408", "−2.813", "−3.219"])
    expect(alpha(view)).to_have_value("0")
    expect(view.get_by_label("Lα", exact=True)).to_be_checked()
    expect(view.get_by_role("button", name="Back to the search's own")).to_be_disabled()
    expect(view.locator(".tv-ranking-note")).to_contain_text("without a new search")
    expect(view.locator(".tv-scores-caption")).to_contain_text("hypothesis 2 takes the lead at α = 0.17")
    alpha(view).focus()
    view.page.keyboard.press("ArrowRight")
    expect(alpha(view)).to_have_value("0.05")
    expect(alpha(view)).to_have_attribute("aria-valuetext", "0.05")
    expect_selection(view, step=0, node=0, hypothesis=0)


def test_moving_alpha_reranks_by_the_librarys_scores_without_a_request(bare: BarePage) -> None:
    trace = lengths_trace()
    view = open_ranking(bare, trace)
    posted = questions(view.page)
    alpha(view).fill("1")
    expect(texts(view)).to_have_text(["b x z w", "c y", "a"])
    expect(scores(view)).to_have_text(["−0.563", "−1.073", "−1.204"])
    expect(view.locator(".tv-hypothesis .tv-rank")).to_have_text(["2", "3", "1"])
    expect(view.locator(".tv-moved")).to_have_text(["★↑1", "↑1", "↓2"])
    first = view.locator(".tv-hypothesis").first
    expect(first).to_contain_text("log-p −2.81")
    expect(first).to_contain_text("5 tokens")
    expect(view.locator(".tv-verdict")).to_have_text("Hypothesis 2 leads hypothesis 3 by 0.510 in score.")
    expect_selection(view, step=0, node=0, hypothesis=0)
    alpha(view).fill("-1.35")
    for kind in ("power", "gnmt", "none"):
        view.locator(f".tv-kinds input[value={kind}]").check(force=True)
        normalizer = LengthNormalizer(kind, -1.35)
        expected = sorted((normalizer(h.log_prob, len(h.token_ids)) for h in trace.hypotheses), reverse=True)
        expect(scores(view)).to_have_text([f"{score:.3f}".replace("-", "−") for score in expected])
    assert posted == []


def test_a_row_keeps_its_hypothesis_and_up_and_down_follow_the_order_on_the_screen(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    alpha(view).fill("1")
    view.locator(".tv-hypothesis").first.click()
    expect_selection(view, step=0, node=1, hypothesis=1)
    expect(view.locator(".tv-out b")).to_have_text(["␣b", "␣x", "␣z", "␣w", "</s>"])
    expect(view.locator(".tv-hypothesis").first).to_have_attribute("aria-pressed", "true")
    view.page.keyboard.press("ArrowDown")
    expect_selection(view, step=0, node=2, hypothesis=2)
    expect(view.locator(".tv-hypothesis").nth(1)).to_be_focused()
    view.page.keyboard.press("ArrowDown")
    expect_selection(view, step=0, node=0, hypothesis=0)


def test_one_click_restores_the_ranking_of_the_search(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    back = view.get_by_role("button", name="Back to the search's own")
    view.get_by_text("GNMT").click()
    alpha(view).fill("2")
    back.click()
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    expect(alpha(view)).to_have_value("0")
    expect(view.get_by_label("Lα", exact=True)).to_be_checked()
    expect(back).to_be_disabled()


def test_without_a_normaliser_alpha_is_disabled(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace(alpha=1.0))
    expect(alpha(view)).to_be_enabled()
    view.locator(".tv-kinds").get_by_text("none").click()
    expect(alpha(view)).to_be_disabled()
    expect(view.locator(".tv-scores-caption")).to_contain_text("every line is flat")
    expect(view.locator(".tv-ranking-title")).to_have_text("Hypotheses by log-probability")


def test_an_alpha_between_the_notches_is_kept_as_the_searchs_own(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace(alpha=0.333))
    expect(view.locator(".tv-alpha output")).to_have_text("0.33")
    expect(view.get_by_role("button", name="Back to the search's own")).to_be_disabled()


def test_an_order_of_another_kind_stays_until_the_reader_ranks(bare: BarePage) -> None:
    trace = lengths_trace()
    view = open_ranking(bare, replace(trace, strategy="mbr", hypotheses=trace.hypotheses[::-1]))
    expect(texts(view)).to_have_text(["c y", "b x z w", "a"])
    expect(view.locator(".tv-ranking-title")).to_have_text("Hypotheses in the search's own order")
    alpha(view).fill("1")
    expect(texts(view)).to_have_text(["b x z w", "c y", "a"])
    alpha(view).fill("0")
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    view.get_by_role("button", name="Back to the search's own").click()
    expect(texts(view)).to_have_text(["c y", "b x z w", "a"])


def test_one_hypothesis_has_no_ranking(bare: BarePage) -> None:
    view = open_ranking(bare, hostile_trace())
    expect(view.locator(".tv-hypotheses-card")).to_contain_text("nothing to rank")
    expect(view.locator("[data-card=ranking]")).to_be_hidden()
    expect(view.locator(".tv-ranking-card")).to_be_hidden()
    expect(view.locator(".tv-hypothesis")).to_have_count(1)


def test_a_new_trace_starts_from_its_own_alpha(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    alpha(view).fill("-2")
    bare.show(library_trace())
    expect(view).to_have_attribute("data-ready", "2")
    expect(texts(view)).to_have_text(["a library", "the book"])
    expect(alpha(view)).to_have_value("1")
    expect(view.locator(".tv-verdict")).to_be_hidden()


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", *full_only(["dark"])])
def test_axe_finds_nothing_in_the_card(bare: BarePage, scheme: str) -> None:
    view = open_ranking(bare, lengths_trace(), query=f"?__theme={scheme}")
    alpha(view).fill("1")
    assert violations(view.page, ".tv-ranking-card") == []
    view.page.set_viewport_size({"width": 390, "height": 900})
    expect(view.locator(".tv-pane:visible")).to_have_count(1)
    open_tab(view, "ranking")
    assert violations(view.page, ".tv-ranking-card") == []
