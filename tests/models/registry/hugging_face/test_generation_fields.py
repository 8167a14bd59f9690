"""Fields of `generation_config.json`: the table holds all of them, and none is ignored in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import GenerationConfig

from models.registry.card import CheckpointError
from models.registry.hugging_face.files import adopt
from models.registry.hugging_face.generation_fields import (
    FIELDS,
    GenerationError,
    Treatment,
    authors_settings,
    settings_to_follow,
)
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import save_repository, settings_of
from tests.refusals import refused

REFUSED = [field.name for field in FIELDS if field.treatment is Treatment.REFUSED]


def test_every_field_that_the_library_has_is_in_the_table() -> None:
    """A new version of the library may add a field that changes outputs."""
    names = [field.name for field in FIELDS]
    assert len(names) == len(set(names))
    assert set(GenerationConfig().to_dict()) <= set(names)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_neutral_values_change_nothing(field: Any) -> None:
    for value in (None, False, 0, [], {}, *([] if field.neutral is None else [field.neutral])):
        assert not field.is_set({field.name: value})
        assert settings_to_follow({field.name: value}, "t5") == {field.name: value}


@pytest.mark.parametrize("name", REFUSED)
def test_a_field_that_cannot_be_obeyed_is_refused_by_name(name: str) -> None:
    with refused(GenerationError, "generation_field_refused", name):
        settings_to_follow({name: [3]}, "bart")


def test_a_repository_with_a_refused_field_is_refused(tmp_path: Path) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "bart")
    settings_of(files, "generation_config.json", begin_suppress_tokens=[5])
    with refused(CheckpointError, "generation_field_refused", "begin_suppress_tokens"):
        adopt(tmp_path / "it")


@pytest.mark.parametrize("banned", [None, [], [[0]], [[7]]])
def test_a_marian_never_writes_padding(banned: list[list[int]] | None) -> None:
    result = settings_to_follow({"pad_token_id": 0, "bad_words_ids": banned}, "marian")["bad_words_ids"]
    assert [0] in result
    assert len(result) == len({*map(tuple, banned or []), (0,)})
    assert settings_to_follow({"pad_token_id": 0, "bad_words_ids": banned}, "t5")["bad_words_ids"] == banned


@pytest.mark.slow
def test_a_list_of_one_end_token_is_that_token(tmp_path: Path) -> None:
    """Either file may have the end token; older repositories have it in `config.json`."""
    files = tmp_path / "it" / "transformers"
    tokenizer, _ = save_repository(files, "bart")
    end = tokenizer.eos_token_id
    settings_of(files, "config.json", eos_token_id=[end])
    settings_of(files, "generation_config.json", eos_token_id=[end])
    adopt(tmp_path / "it")
    assert Registry(tmp_path).tokenizer("it").eos_id == end


@pytest.mark.slow
def test_the_card_names_how_the_authors_decode(tmp_path: Path) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "bart")
    settings_of(files, "generation_config.json", num_beams=6, encoder_no_repeat_ngram_size=3)
    adopt(tmp_path / "it")
    summary = Registry(tmp_path).card("it").summary
    assert "num_beams 6" in summary
    assert "Not applied here: encoder_no_repeat_ngram_size 3." in summary
    assert authors_settings({"num_beams": 1, "typical_p": 1.0}) == ""
