"""Names of checkpoints: read once, written as they were."""

from __future__ import annotations

import pytest

from models.registry.name import CheckpointName, UnknownCheckpointError
from tests.refusals import refused


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("spa-eng-gru", CheckpointName("spa-eng-gru")),
        ("spa-eng-gru@int8", CheckpointName("spa-eng-gru", precision="int8")),
        (
            "google-t5/t5-small@translation_en_to_de",
            CheckpointName("google-t5/t5-small", "translation_en_to_de"),
        ),
        ("facebook/m2m100_418M@en-es@int8", CheckpointName("facebook/m2m100_418M", "en-es", "int8")),
        ("nllb@eng_Latn-spa_Latn", CheckpointName("nllb", "eng_Latn-spa_Latn")),
        ("a@int8@int8", CheckpointName("a", "int8", "int8")),
        ("int8", CheckpointName("int8")),
        ("", CheckpointName("")),
    ],
)
def test_a_name_is_read_and_written_unchanged(text: str, name: CheckpointName) -> None:
    assert CheckpointName.of(text) == name
    assert str(name) == text
    assert CheckpointName.of(name) is name


def test_a_name_has_its_stored_and_its_rounded_form() -> None:
    name = CheckpointName.of("nllb@eng_Latn-spa_Latn")
    assert str(name.rounded) == "nllb@eng_Latn-spa_Latn@int8"
    assert name.rounded.stored == name
    assert name.stored == name


@pytest.mark.parametrize(
    "variant", ["../../", "..", ".", "/etc/passwd", "a/b", "a\\b", "a@b", " a", "a\n", "<b>", "é" * 101]
)
def test_a_malformed_variant_is_refused(variant: str) -> None:
    with refused(UnknownCheckpointError, "no_variants_name"):
        CheckpointName.of(f"reverse-gru@{variant}")
