"""The Evaluate tab for a visitor: the example, its details, and a test set of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import tick
from tests.browser.evaluate.evaluate_page import STRATEGIES, VIEW, evaluate, wait_for_evaluation
from tests.grids import full_only, release_only

OWN_LINES = "hola\thello\nadiós\tgoodbye\ngracias\tthank you"


def paste(page: Page, text: str) -> None:
    page.locator("#evaluate-kind").get_by_label("Paste").check(force=True)
    box = page.locator("#evaluate-paste textarea")
    # The text arrives at once, as if pasted; typing thousands of lines takes a browser seconds.
    box.evaluate("(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }", text)


def expect_causes(page: Page) -> None:
    view = wait_for_evaluation(page, part="causes")
    expect(view.locator(".tv-inspect-summary")).to_contain_text("the most frequent cause is")
    expect(view.locator(".js-plotly-plot")).to_have_count(1)
    expect(view.locator(".ev-row").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_violations(page) == []


def download_reports(page: Page) -> None:
    for kind in ("HTML", "JSON", "CSV"):
        with page.expect_download() as download:
            page.locator(".ev-files").get_by_text(kind, exact=True).click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert download.value.suggested_filename == f"unrolled-evaluation.{kind.lower()}"
        assert "¿Dónde puedo comprar un billete para el tren nocturno?" in text


def stop_an_evaluation(page: Page) -> None:
    paste(
        page, "\n".join(f"hola número {number} de la casa grande\thello {number}" for number in range(1500))
    )
    page.locator("#evaluate-run").click()
    page.locator(f"{VIEW} .ev-progress button").click()
    expect(page.locator(f"{VIEW}[data-stage='stopped']")).to_be_visible()
    expect(page.locator(f"{VIEW} .ev-message")).to_have_text("Stopped.")
    expect(page.locator(f"{VIEW} .ev-count")).to_have_text("48 of 48")  # the earlier rows stay


def evaluate_bad_lines(page: Page) -> None:
    for text, sentence in (
        ("", "Paste some lines first"),
        ("one column\nalone", "cannot be told apart"),
        (f"{'x' * 600}\tlong", "Line 1 has a text of 600 characters"),
    ):
        paste(page, text)
        page.locator("#evaluate-run").click()
        expect(page.locator(".toast-body", has_text=sentence)).to_be_visible()
        expect(page.locator(f"{VIEW} .ev-count")).to_have_text("48 of 48")
        expect(page.locator("#evaluate-paste textarea")).to_have_value(text)


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), *full_only([(390, "dark")])])
def test_a_visitor_reads_the_example_and_stops_another_evaluation(
    page: Page, app_url: str, width: int, theme: str, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{app_url}?tab=evaluate&part=causes&__theme={theme}")
    wait_for_evaluation(page, part="causes")
    with subtests.test("the tab opens with the causes of its errors"):
        expect_causes(page)
    with subtests.test("the report is downloaded"):
        download_reports(page)
    with subtests.test("a stopped evaluation leaves the earlier rows"):
        stop_an_evaluation(page)
    with subtests.test("bad input is refused, and text and result stay"):
        evaluate_bad_lines(page)


def evaluate_own_lines(page: Page) -> None:
    """Evaluate three lines; the result is marked while the form differs, and kept over a reload."""
    view = wait_for_evaluation(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(view.locator(".ev-row").first).to_be_in_viewport(ratio=0.95)  # the worst segment
    note = view.locator(".ev-stale")
    expect(view).to_have_attribute("data-stale", "false")
    paste(page, OWN_LINES)
    expect(note).to_be_visible()
    evaluate(page)
    expect(note).to_be_hidden()
    expect(view.locator(".ev-count")).to_have_text("3 of 3")
    page.wait_for_function("new URL(location.href).searchParams.get('pasted')?.startsWith('hola\\thello')")
    for address in (page.url, page.url.split("?")[0] + "?tab=evaluate"):  # with the form, and without it
        page.goto(address)
        wait_for_evaluation(page)
        expect(view.locator(".ev-count")).to_have_text("3 of 3")
        expect(page.locator("#evaluate-paste textarea")).to_have_value(OWN_LINES)
        expect(note).to_be_hidden()
    tick(page, "Greedy", picker="#evaluate-strategies")
    paste(page, "hola amigo\thello friend")
    evaluate(page)
    expect(note).to_be_hidden()


def open_a_row_in_decode(page: Page, url: str) -> None:
    view = page.locator(VIEW)
    source = view.locator(".ev-detail dd").first.inner_text()
    output = view.locator(".ev-cell p").first.evaluate(
        "node => [...node.querySelector('.ev-text').childNodes]"
        ".filter(n => n.nodeName !== 'DEL').map(n => n.textContent).join('')"
    )
    page.goto(f"{url}{view.get_by_role('link', name='Open in Decode').get_attribute('href')}")
    expect(page.locator("#trace .trace-view:not([data-ready='0'])")).to_be_visible()
    expect(page.locator("#source textarea")).to_have_value(source)
    expect(page.locator("#trace")).to_contain_text(output.strip().split()[0])
    expect(page.locator("#trace .tv-hypotheses li")).to_have_count(1)  # a beam would have more


def test_a_visitor_evaluates_lines_and_opens_a_row_in_decode(
    page: Page, app_url: str, expected_errors: list[str], subtests: pytest.Subtests
) -> None:
    expected_errors.append("Connection errored out")  # the page is left while its last poll may be open
    page.goto(f"{app_url}?tab=evaluate&part=widths")
    with subtests.test("a result is marked while the form differs, and kept over a reload"):
        evaluate_own_lines(page)
    with subtests.test("a row opens in Decode with its strategy"):
        open_a_row_in_decode(page, app_url)


def measure_the_beam_widths(page: Page) -> None:
    view = wait_for_evaluation(page, part="widths")
    segments = view.locator(".ev-count").inner_text()
    view.get_by_role("button", name="Measure every beam width").click()
    expect(view.locator(".js-plotly-plot")).to_have_count(1)
    expect(view.locator(".ev-offer")).to_be_hidden()
    expect(view.locator(".tv-inspect-table tbody tr")).to_have_count(5)
    expect(view.locator(".ev-count")).to_have_text(segments)
    assert serious_violations(page) == []


@pytest.mark.full
def test_two_strategies_are_measured_at_every_beam_width_and_compared(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?tab=evaluate&part=widths&{STRATEGIES}")
    view = wait_for_evaluation(page, part="widths")
    source = view.locator(".ev-detail dd").first.inner_text()
    link = view.get_by_role("link", name="Open in Compare").get_attribute("href")
    with subtests.test("one click measures the beam widths"):
        measure_the_beam_widths(page)
    with subtests.test("a row opens in Compare with both strategies"):
        page.goto(f"{app_url}{link}")
        expect(page.locator("#comparison .compare[data-kind='strategies']")).to_be_visible()
        expect(page.locator("#compare-text textarea")).to_have_value(source)
        expect(page.locator(".cp-rows tbody tr")).to_have_count(2)


@pytest.mark.full
@pytest.mark.parametrize("code", ["zh", *release_only(["es"])])
def test_the_evaluation_is_in_the_language_of_the_page(page: Page, app_url: str, code: str) -> None:
    page.goto(f"{app_url}?tab=evaluate&__lang={code}")
    view = wait_for_evaluation(page)
    for english in ("Segments", "worst first", "How good is", "Open in Decode"):
        expect(view).not_to_contain_text(english)


@pytest.mark.full
def test_a_file_with_outputs_of_another_system_is_compared(page: Page, app_url: str, tmp_path: Path) -> None:
    data = tmp_path / "test.tsv"
    data.write_text(
        "source\treference\ttheirs\tcomet\nhola\thello\thello\t0.9\nadiós\tgoodbye\t<b>bye</b>\t0.1\n",
        encoding="utf-8",
    )
    page.goto(f"{app_url}?tab=evaluate&strategies=greedy")
    wait_for_evaluation(page)
    page.locator("#evaluate-kind").get_by_label("File").check(force=True)
    page.locator("#evaluate-file input[type=file]").set_input_files(data)
    expect(page.locator("#evaluate-file")).to_contain_text("test")
    view = evaluate(page)
    expect(view.locator(".ev-count")).to_have_text("2 of 2")
    view.get_by_label("Sort by").select_option("comet")
    expect(view.locator(".ev-row").first).to_contain_text("<b>bye</b>")
    expect(view.get_by_role("button", name="Differences")).to_be_visible()
