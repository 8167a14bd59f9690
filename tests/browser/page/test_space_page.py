"""The page in a Space of the Hub: after signing in, a run can be pushed without a pasted token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.page.interface import build_demo, launch_settings
from tests.browser import training_page
from tests.browser.checkpoints.test_hub_page import training_context
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import REVERSE, decode, visit
from tests.browser.training.test_training_page import small
from tests.fakes.gradio_inside import started_with
from tests.fakes.servers.hub_accounts import Account, take_uploads
from tests.fakes.servers.hub_page import make_files
from tests.fakes.servers.hub_server import FakeHub
from tests.fakes.servers.openid_provider import OpenIdProvider

TOKEN = "hf_of_who_signed_in"
# Gradio's page asks the Hub how its Space is, and Google for fonts; our page lets it do neither.
REFUSED = ("Content Security Policy", "Space not found", "https://fonts.googleapis.com/")


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    running = OpenIdProvider("ann", TOKEN)
    yield running
    running.close()


@pytest.fixture
def space(provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch) -> OpenIdProvider:
    """Set the environment of a Space."""
    started_with(monkeypatch, provider.variables("openid profile contribute-repos"))
    return provider


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    served = FakeHub(make_files(tmp_path / "repositories", ROOT / "checkpoints" / REVERSE))
    served.accounts = {TOKEN: Account("ann")}
    yield served
    served.close()


@pytest.mark.full
def test_a_signed_in_visitor_pushes_a_run_without_a_token(
    page: Page,
    serve: Serve,
    space: OpenIdProvider,
    hub: FakeHub,
    tmp_path: Path,
    expected_errors: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    take_uploads(monkeypatch)
    expected_errors.extend(REFUSED)
    url = serve(build_demo(training_context(tmp_path, hub)), **launch_settings())
    visit(page, url)
    assert decode(page, "abc")
    training_page.open_tab(page)
    small(page, epochs=1, pairs=200)
    page.locator("#train-begin").click()
    training_page.wait_for_state(page, "finished")

    page.get_by_role("button", name="Send to the Hub").click()
    with page.expect_event("load"):  # a navigation is also a change of the address
        page.locator("#push-login").click()
    assert [query["scope"] for query in space.authorizations] == ["openid profile contribute-repos"]
    training_page.open_tab(page)
    page.get_by_role("button", name="Send to the Hub").click()
    expect(page.locator("#push-login")).to_contain_text("ann")
    page.locator("#push-name").get_by_role("textbox").fill("ann/backwards")
    page.locator("#push-send").click()
    expect(page.locator("#push-view .pu-status")).to_contain_text("ann/backwards is on the Hub, private")
    assert "ann/backwards" in hub.private
    assert TOKEN not in page.content()
