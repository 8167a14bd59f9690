"""Chinese sentences in simplified characters and one style of punctuation. Needs OpenCC."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable

from models.corpus.pairs import DataError

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters, for patterns
_FULL_WIDTH = {",": "，", ".": "。", "?": "？", "!": "！", ":": "：", ";": "；"}
_HALF_MARK = re.compile(rf"(?<=[{HAN}”’」』）])[{re.escape(''.join(_FULL_WIDTH))}]")
_CHINESE = f"{HAN}，。？！：；、“”「」『』（）《》"
_INNER_SPACE = re.compile(f"(?<=[{_CHINESE}]) +(?=[{_CHINESE}])")
# The particle, and not the "zhù" of words such as 著名 and 显著, which keeps its character.
_PARTICLE = re.compile("(?<![显卓昭编专名原论遗巨土合])著(?![名作者称书述])")


def simplifier() -> Callable[[str], str]:
    """Return a function that simplifies a sentence's characters. Raises DataError if OpenCC is missing."""
    try:
        opencc = importlib.import_module("opencc")
    except ImportError as error:
        raise DataError(
            "opencc_missing",
            "eng-cmn needs OpenCC for its traditional characters: pip install -r "
            "models/corpus/public/requirements-data.txt",
        ) from error
    convert = opencc.OpenCC("t2s").convert

    def simplify(text: str) -> str:
        text = _PARTICLE.sub("着", convert(text))
        text = _HALF_MARK.sub(lambda mark: _FULL_WIDTH[mark.group()], text)
        return _INNER_SPACE.sub("", text)

    return simplify
