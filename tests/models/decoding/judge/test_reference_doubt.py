"""Doubts about a reference from its text alone."""

from __future__ import annotations

import pytest

from models.decoding.judge.reference_doubt import doubt_of_text, script


@pytest.mark.parametrize(
    ("source", "reference", "output", "copied", "doubt"),
    [
        ("la casa blanca", "the white house", "a white house", 12.0, None),
        ("la casa blanca", "la casa blanca", "the white house", 100.0, "is the source itself"),
        ("no", "no", "not", 100.0, None),  # too short to be a copy
        ("Я люблю кошек", "Я люблю собак", "I love cats", 60.0, "in the script of the source"),
        ("I love cats", "我喜欢猫和狗", "我喜欢猫和鸟", 0.0, None),
    ],
)
def test_a_reference_that_is_no_translation_is_doubted(
    source: str, reference: str, output: str, copied: float, doubt: str | None
) -> None:
    message = doubt_of_text(source, reference, output, copied)
    assert message is None if doubt is None else doubt in str(message)


def test_scripts_are_distinguished() -> None:
    assert [script(text) for text in ("Hola amigo", "привет", "ねこがいる", "猫在睡觉", "ab", "12345")] == [
        "LATIN",
        "CYRILLIC",
        "CJK",
        "CJK",
        "",
        "",
    ]
