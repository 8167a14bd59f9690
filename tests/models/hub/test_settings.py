"""Settings of the Hub that the operator of a server may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.environment import SettingError, read
from models.hub.download.fetch import START_SECONDS
from models.hub.listing.curated import CURATED_MODELS
from models.hub.listing.repository import check_repo_id
from models.hub.settings import HubSettings
from tests.refusals import Refusal, refused


def test_environment_variables_set_the_hub_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert HubSettings().timeout + START_SECONDS < 10, "or whoever waits would be told too late"
    assert read(HubSettings, {}) == HubSettings()
    assert HubSettings().access == "any"
    assert HubSettings().root.parts[-2:] == ("unrolled", "hub")
    monkeypatch.setenv("SPACE_ID", "someone/space")
    assert HubSettings().access == "curated"
    assert read(HubSettings, {"UNROLLED_HUB": "Any"}).access == "any"
    result = read(
        HubSettings,
        {
            "UNROLLED_HUB": "off",
            "UNROLLED_HUB_CACHE": str(tmp_path),
            "UNROLLED_HUB_BYTES": "5_000",
            "UNROLLED_HUB_TOTAL_BYTES": "0",
        },
    )
    assert (result.access, result.root, result.max_bytes, result.total_bytes) == ("off", tmp_path, 5000, 0)


@pytest.mark.parametrize(
    ("variable", "value", "refusal"),
    [
        ("UNROLLED_HUB", "all", ("not_one_of", "UNROLLED_HUB", "off, curated, any", "all")),
        ("UNROLLED_HUB_BYTES", "4GB", ("not_whole", "UNROLLED_HUB_BYTES", "0", "4GB")),
        ("UNROLLED_HUB_TOTAL_BYTES", "-1", ("not_whole", "UNROLLED_HUB_TOTAL_BYTES")),
    ],
)
def test_an_invalid_variable_is_refused(variable: str, value: str, refusal: Refusal) -> None:
    with refused(SettingError, *refusal):
        read(HubSettings, {variable: value})


def test_an_unknown_access_is_named() -> None:
    with refused(SettingError, "not_one_of", "access", "off, curated, any", "all"):
        HubSettings(access="all")


def test_the_curated_models_have_names_facts_and_an_example() -> None:
    assert 12 <= len(CURATED_MODELS) <= 16
    assert (
        len({model.repo_id for model in CURATED_MODELS})
        == len({model.title for model in CURATED_MODELS})
        == len(CURATED_MODELS)
    )
    for model in CURATED_MODELS:
        assert check_repo_id(model.repo_id) == model.repo_id
        assert model.languages
        assert model.example
        assert model.note.endswith(".")
        # Weights of 16 or 32 bits fill nearly all of the file.
        assert 2 * model.parameters <= model.megabytes <= 4.2 * model.parameters
        assert model.megabytes * 1e6 < HubSettings().max_bytes
