"""Words, and texts that have no spaces between them."""

from __future__ import annotations

import pytest

from models.metrics.sentence import unspaced_language, words


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["我喜欢吃苹果。", "他在ABC公司工作。"], "zh"),
        (["私はりんごが好きです。", "東京へ行く。"], "ja"),
        (["这家店叫作「さくら」，菜做得很好吃，价钱也不贵，我们常常去。" * 2], "zh"),
        (["I like 苹果.", "apples"], ""),
        (["나는 사과를 좋아한다."], ""),
        (["123 !", ""], ""),
        ([], ""),
    ],
)
def test_a_language_without_spaces_is_recognised_by_its_script(texts: list[str], language: str) -> None:
    assert unspaced_language(texts) == language


def test_chinese_words_are_single_characters() -> None:
    assert words("我喜欢", "zh") == ["我", "喜", "欢"]
    assert words("I like it.") == ["I", "like", "it", "."]
