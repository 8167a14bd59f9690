"""Small files that break each rule, and files that keep the rules."""

from __future__ import annotations

from collections.abc import Mapping

from tests.lint.project import Rule

Texts = Mapping[str, str]  # by path
# A rule, a path and a text whose last line breaks the rule; or files, and how a breach begins after its path.
Planted = tuple[Rule, str, str] | tuple[Rule, Texts, str]
Sound = tuple[str, Texts]  # a room or rooms, and files that break none of their rules
