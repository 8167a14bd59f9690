"""The warning about a source longer than those of the training."""

from __future__ import annotations

import pytest

from demo.widgets.captions.output import length_note


@pytest.mark.parametrize(("tokens", "usual", "warned"), [(23, 22, True), (22, 22, False), (500, None, False)])
def test_the_caption_mentions_only_an_unusual_length(tokens: int, usual: int | None, warned: bool) -> None:
    note = length_note(tokens, usual)
    assert bool(note) is warned
    assert not warned or (f"{tokens} tokens" in note and f"at most {usual}" in note)
