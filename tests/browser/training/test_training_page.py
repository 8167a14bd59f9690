"""The Training tab for a visitor: a run from its start to the use of its checkpoint."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from models.corpus.generated.letters import ALPHABET_OPTION, LONGEST_OPTION
from tests.browser.accessibility import serious_violations
from tests.browser.columns import TABLE, expect_columns, upload
from tests.browser.decode_page import hypotheses, results, source, wait_for_result
from tests.browser.training_page import (
    losses,
    open_tab,
    remove,
    section,
    setting,
    state,
    wait_for_state,
    wait_for_step,
    watch,
)

PREVIEW = "#train-preview .dp"


def small(page: Page, epochs: int, pairs: int = 4000) -> None:
    """Set up the reversal of short strings over few letters, which is learnt in 15 seconds."""
    for name in ("Tokens and data", "Run"):
        section(page, name)
    options = page.locator("#train-data .task-reversal")
    options.get_by_label(LONGEST_OPTION.label).fill("5")
    options.get_by_label(ALPHABET_OPTION.label).fill("6")
    values = {
        "data.train_size": pairs,
        "data.valid_size": 60,
        "batch_tokens": 512,
        "evaluate_every": 80,
        "report_every": 4,
        "epochs": epochs,
    }
    for path, value in values.items():
        setting(page, path).fill(str(value))
    for path, value in values.items():
        expect(setting(page, path)).to_have_value(str(value))


def scrub(page: Page) -> None:
    """Scrub back through a finished training: an early probe differs from the last, without a request."""
    scrubber = page.locator("#training-run .rv-range")
    last = page.locator("#training-run .rv-tokens").text_content()
    pending: list[Route] = []  # the page asks now and then whether the run was resumed elsewhere
    is_holding = True

    def hold(route: Route) -> None:
        pending.append(route) if is_holding else route.continue_()

    page.route("**/gradio_api/**", hold)
    scrubber.focus()
    scrubber.press("Home")
    expect(page.locator("#training-run .rv-tokens")).not_to_have_text(last or "")
    scrubber.press("End")
    expect(page.locator("#training-run .rv-tokens")).to_have_text(last or "")
    is_holding = False  # the handler stays: removing it would also continue requests that wait
    while pending:
        pending.pop().continue_()


@pytest.mark.full
def test_a_run_can_be_stopped_resumed_finished_and_used(app_page: Page) -> None:
    """A run whose loss falls is stopped, reloaded, resumed, finished, scrubbed, and used for decoding."""
    open_tab(app_page)
    small(app_page, epochs=16)  # so that it still goes on when it is stopped
    app_page.locator("#train-name").get_by_role("textbox").fill("Backwards <b>")
    app_page.locator("#train-begin").click()
    wait_for_state(app_page, "running")
    expect(app_page.locator("#train-expectation")).to_contain_text("million weights")
    wait_for_step(app_page, 60)
    values = losses(app_page)
    assert values[-1] < 0.8 * values[0]

    app_page.locator("#run-stop").click()
    app_page.reload()  # at once: it goes on without a page, and is found again
    open_tab(app_page)
    watch(app_page)
    expect(app_page.locator("#training-run .rv-title")).to_have_text("Backwards <b>")
    wait_for_state(app_page, "stopped")
    stopped_at = losses(app_page)
    app_page.locator("#run-resume").click()
    wait_for_state(app_page, "finished")
    expect(app_page.locator("#training-run .rv-percent")).to_have_text("100%")
    after = losses(app_page)
    assert after[: len(stopped_at) - 1] == stopped_at[:-1]  # the curve goes on where it was
    assert len(after) > len(stopped_at)

    scrub(app_page)

    with app_page.expect_download() as download:
        app_page.locator("#run-folder").click()
    names = zipfile.ZipFile(download.value.path()).namelist()
    assert {"backwards-b/model.safetensors", "backwards-b/README.md"} <= set(names)

    before = results(app_page)
    app_page.locator("#run-open").click()
    wait_for_result(app_page, before)
    before = results(app_page)
    source(app_page).fill("abcde")
    app_page.locator("#run").click()
    wait_for_result(app_page, before)
    assert "edcba" in hypotheses(app_page)[0]


@pytest.mark.full
def test_another_browser_sees_a_run_only_by_its_link(visitors: Callable[[], Page], app_url: str) -> None:
    first, second = visitors(), visitors()
    open_tab(first)
    small(first, epochs=60)
    first.locator("#train-begin").click()
    wait_for_state(first, "running")
    open_tab(second)
    watch(second)
    expect(second.locator("#training-run .rv-empty")).to_be_visible()
    run = first.locator("#training-run .run-view").get_attribute("data-run")
    second.goto(f"{app_url}?run={run}")
    wait_for_state(second, "running")  # the link opens the tab
    second.locator("#run-stop").click()
    wait_for_state(first, "stopped")
    second.locator("#run-resume").click()
    wait_for_state(first, "queued", "running")  # though the run rested, and nothing was pressed here
    expect(first.locator("#run-remove")).to_be_hidden()
    first.locator("#run-stop").click()
    wait_for_state(second, "stopped")
    remove(second)
    expect(second.get_by_text("Only the browser that started a run can remove it")).to_be_visible()
    remove(first)
    expect(first.locator("#training-run .rv-empty")).to_be_visible()
    expect(second.locator("#training-run .run-view")).to_have_attribute("data-gone", "true")
    expect(second.locator("#run-choice input")).to_have_value("")
    expect(second.locator(".run-actions")).to_be_hidden()


def fit_the_window(page: Page) -> None:
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
    assert state(page) == "none"
    for picker, text in (("#run-choice", "none yet"), ("#run-overlays", "none chosen")):
        box = page.locator(f"{picker} .secondary-wrap")
        assert box.evaluate("(box) => getComputedStyle(box, '::before').content") == f'"{text}"'


def save_and_load_a_recipe(page: Page, folder: Path) -> None:
    small(page, epochs=7)
    with page.expect_download() as download:
        page.locator("#train-save").click()
    recipe = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert recipe["epochs"] == 7
    assert recipe["data"]["options"]["longest"] == 5
    recipe["epochs"] = 9
    recipe["data"] |= {"task": "sort", "options": {}}
    changed = folder / "recipe.json"
    changed.write_text(json.dumps(recipe), encoding="utf-8")
    with page.expect_file_chooser() as chooser:
        page.locator("#train-load").click()
    chooser.value.set_files(changed)
    expect(setting(page, "epochs")).to_have_value("9")
    expect(page.locator("#train-task").get_by_label("Sort")).to_be_checked()
    expect(page.locator("#train-data .task-sort")).to_be_visible()
    expect(page.locator("#train-name").get_by_role("textbox")).to_have_value("reversal")


def paste_few_pairs(page: Page) -> None:
    promised = page.get_by_text("a generated task is learnt while you watch")
    expect(promised).to_be_visible()
    page.locator("#train-kind").get_by_label("Paste").check(force=True)
    expect(promised).to_be_hidden()
    expect(page.get_by_text("from few pairs it learns little, and learns them by heart")).to_be_visible()
    pairs = "\n".join(f"wort {number}\tword {number}" for number in range(20))
    page.locator("#train-paste textarea").fill(pairs)
    page.locator("#train-look").click()
    expect(page.locator(PREVIEW)).to_contain_text("One pair alone is kept for validation")


def reload_the_form(page: Page) -> None:
    parts = ("kind:paste", "wort%252019", "epochs:9", "name:reversal", "task:sort")
    page.wait_for_function("all => all.every((part) => location.search.includes(part))", arg=parts)
    assert "optimizer" not in page.url  # unchanged fields
    page.reload()
    expect(page.locator("#train-paste textarea")).to_have_value(re.compile("wort 19\tword 19"))
    expect(page.locator("#train-kind").get_by_label("Paste")).to_be_checked()
    section(page, "Run")
    expect(setting(page, "epochs")).to_have_value("9")
    expect(page.locator("#train-name").get_by_role("textbox")).to_have_value("reversal")
    field = page.locator("#train-paste textarea")
    field.fill("\n".join(f"wort {number}\tword {number}" for number in range(900)))  # too long for an address
    page.wait_for_function("!location.search.includes('wort')")
    page.reload()
    expect(field).to_have_value(re.compile("wort 899\tword 899"))
    expect(page.locator("#train-kind").get_by_label("Paste")).to_be_checked()


def choose_the_column_of_the_targets(page: Page, folder: Path) -> None:
    # Without force, so that it waits until the page stands still after its reload.
    page.locator("#train-kind").get_by_label("File", exact=True).check()
    upload(page, "#train-file", folder / "test.csv", TABLE)
    expect_columns(page, "#train-columns", ["", "source", "reference", ""])
    page.locator("#train-columns select").nth(3).select_option("reference")
    page.locator("#train-columns select").nth(2).select_option("")
    expect(page.locator(f"{PREVIEW}[data-state='data']")).to_contain_text("I like music.")
    expect(page.locator(PREVIEW)).not_to_contain_text("I like the music.")


def begin_with_a_malformed_row(page: Page, folder: Path) -> None:
    rows = [f"wort {i}\tword {i}" for i in range(40)]
    rows[7] = "<img src=x onerror=alert(1)>\t<b>bold</b>"
    rows[3] = "no tab at all"
    page.locator("#train-file").get_by_label("Clear").click()
    upload(page, "#train-file", folder / "pairs.tsv", "\n".join(rows))
    preview = page.locator(PREVIEW)
    expect(preview.locator(".dp-malformed summary")).to_contain_text("malformed rows: 1")
    expect(preview).to_have_attribute("data-state", "data")
    preview.locator(".dp-malformed summary").click()
    expect(preview.locator(".dp-malformed tbody tr")).to_contain_text(["4"])
    assert page.locator("#train-preview img, #train-preview b").count() == 0
    page.locator("#train-begin").click()
    expect(page.locator("#train-problem")).to_contain_text("Rows that cannot be read: 1. The first is line 4")
    expect(page.locator("#training-tab [data-testid=status-tracker] .error")).to_have_count(0)
    expect(page.locator("[data-testid=toast-body]")).to_have_count(0)


def test_a_visitor_sets_up_a_training(
    page: Page, app_url: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?tab=training&__theme=dark")
    with subtests.test("the form fits the window"):
        fit_the_window(page)
    with subtests.test("a recipe is saved, changed and loaded"):
        save_and_load_a_recipe(page, tmp_path)
    with subtests.test("the description of a preset fits the data"):
        paste_few_pairs(page)
    with subtests.test("the address holds the form, so that a reload shows it again"):
        reload_the_form(page)
    with subtests.test("training data show their columns"):
        choose_the_column_of_the_targets(page, tmp_path)
    with subtests.test("a malformed row is shown as text and refused"):
        begin_with_a_malformed_row(page, tmp_path)


BOTTOMS = """(selectors) => selectors.map((selector) =>
  Math.round(document.querySelector(selector).getBoundingClientRect().bottom))"""


@pytest.mark.full
def test_a_recorded_run_fills_the_screen_and_its_alignment_emerges(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(app_url)
    open_tab(page)
    assert max(page.evaluate(BOTTOMS, ["#train-begin", ".run-recorded", "#train-task"])) <= 900
    page.get_by_role("button", name="Learning to spell backwards").click()
    view = page.locator("#training-run .run-view[data-ready]:not([data-ready='0'])")
    expect(view).to_be_visible()
    expect(page.locator("#train-data")).to_be_hidden()
    visible_parts = [
        ".rv-scrubber",
        ".rv-curves [data-chart=score]",
        ".rv-heatmap",
        ".rv-samples li:last-child",
    ]
    assert max(page.evaluate(BOTTOMS, visible_parts)) <= 900
    for gone in ("#run-resume", "#run-remove", "#run-open", "#run-folder", "#run-stop"):
        expect(page.locator(gone)).to_be_hidden()
    expect(view.locator(".rv-range")).to_have_value("1")
    view.locator(".rv-range").press("End")
    scrub(page)
    assert serious_violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
