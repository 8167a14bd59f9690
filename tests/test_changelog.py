"""The changelog: every change under its heading, once, in one pattern."""

from __future__ import annotations

import re

from tests.documents import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
(UNRELEASED,) = re.findall(r"^## \[Unreleased\]\n(.*?)^## ", CHANGELOG, re.M | re.S)
INVERTED = re.compile(r"- (?:Of|To|What|Where|Who|Whoever)\b")


def sections(text: str, level: str) -> dict[str, str]:
    """Return the text below each heading of one level."""
    parts = re.split(rf"^{level} (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def changes(text: str) -> list[str]:
    """Return the items of the lists, each on one line."""
    return [" ".join(part.split()) for part in re.findall(r"^- .+?(?=^- |^#|^$|\Z)", text, re.M | re.S)]


def test_the_pattern_of_a_change_spans_its_lines_and_ends_at_the_next() -> None:
    assert changes("- One,\n  two.\n- Three.\n\n#### Next\n\n- Four.\n") == [
        "- One, two.",
        "- Three.",
        "- Four.",
    ]


def test_every_unreleased_change_has_a_heading_of_the_lowest_level() -> None:
    for heading, text in sections(UNRELEASED, "###").items():
        above, *lists = re.split(r"^#### .+\n", text, flags=re.M)
        assert not (lists and changes(above)), heading


def test_every_heading_has_empty_lines_around_it() -> None:
    assert re.findall(r"[^\n]\n#+ .*|^#+ .*\n[^\n]", CHANGELOG, re.M) == []


def test_no_unreleased_change_is_listed_twice() -> None:
    items = changes(UNRELEASED)
    assert len(set(items)) == len(items)


def test_no_unreleased_change_begins_with_an_inversion() -> None:
    assert [change for change in changes(UNRELEASED) if INVERTED.match(change)] == []


def test_every_fix_states_the_new_behaviour_first() -> None:
    fixes = changes(sections(UNRELEASED, "###").get("Fixed", ""))
    assert [fix for fix in fixes if "; before, " not in fix] == []
