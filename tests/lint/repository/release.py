"""The changelog has every change under its heading, once, in one pattern; the version is defined once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

import yaml

from tests.lint.project import CODE, Breach, Findings, Project, each_text, line_at, unless

CHANGELOG, CITATION, VERSION_FILE = "CHANGELOG.md", "CITATION.cff", "demo/__init__.py"
VERSION = re.compile(r'^__version__ = "(.*?)"', re.M)
UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)^## ", re.M | re.S)
RELEASE = re.compile(r"^## \[([\d.]+)\] - (\S+)$", re.M)
CROWDED_HEADING = re.compile(r"[^\n]\n#+ .*|^#+ .*\n[^\n]", re.M)
INVERTED = re.compile(r"- (?:Of|To|What|Where|Who|Whoever)\b")
NEW_BEHAVIOUR_FIRST = "; before, "


@each_text(CHANGELOG, suffix="")
def every_change_is_under_the_lowest_heading(changelog: str) -> Findings:
    for heading, text in _sections(changelog).items():
        above, *lists = re.split(r"^#### .+\n", text, flags=re.M)
        if lists and _changes(above):
            yield 1, f"has changes under {heading} and above its first heading"


@each_text(CHANGELOG, suffix="")
def every_heading_has_empty_lines_around_it(changelog: str) -> Findings:
    for match in CROWDED_HEADING.finditer(changelog):
        yield line_at(changelog, match.start()), f"has no empty lines around a heading: {match[0]!r}"


@each_text(CHANGELOG, suffix="")
def every_change_is_listed_once_in_one_pattern(changelog: str) -> Findings:
    changes = Counter(_changes(_unreleased(changelog)))
    fixes = _changes(_sections(changelog).get("Fixed", ""))
    yield from ((1, f"lists a change twice: {change}") for change, count in changes.items() if count > 1)
    yield from ((1, f"begins with an inversion: {change}") for change in changes if INVERTED.match(change))
    yield from (
        (1, f"does not say what was before: {fix}") for fix in fixes if NEW_BEHAVIOUR_FIRST not in fix
    )


def the_changelog_dates_every_version(project: Project) -> Iterator[Breach]:
    headings = re.findall(r"^## \[(.+?)\]", project.texts[CHANGELOG], re.M)
    days = [date.fromisoformat(day) for _, day in RELEASE.findall(project.texts[CHANGELOG])]
    version = _version(project)
    checks = {
        f"does not begin with Unreleased and {version}": headings[:2] == ["Unreleased", version],
        "has a release without a date": len(days) == len(headings) - 1,
        "has releases out of order": days == sorted(days, reverse=True),
    }
    yield from unless(CHANGELOG, checks)


def the_version_has_three_numbers_and_one_place(project: Project) -> Iterator[Breach]:
    version = _version(project)
    yield from unless(
        VERSION_FILE, {"has no three numbers": re.fullmatch(r"\d+\.\d+\.\d+", version) is not None}
    )
    spelt = re.compile(rf"""["'>]{re.escape(version)}["'<]""")
    for path, text in project.matching(CODE, (".py", ".js", ".html")).items():
        if path != VERSION_FILE and (match := spelt.search(text)):
            yield Breach(path, line_at(text, match.start()), f"repeats the version of {VERSION_FILE}")


def the_citation_is_that_of_the_version(project: Project) -> Iterator[Breach]:
    citation, version, licence = (
        yaml.safe_load(project.texts[CITATION]),
        _version(project),
        project.texts["LICENSE"],
    )
    day = dict(RELEASE.findall(project.texts[CHANGELOG])).get(version)
    checks = {
        f"is not that of version {version}": citation["version"] == version,
        "has another date than the changelog": citation["date-released"].isoformat() == day,
        "has another format than 1.2.0": citation["cff-version"] == "1.2.0",
        "lacks a message, title or authors": {"message", "title", "authors"} <= citation.keys(),
        "has an author without a name": all("name" in author for author in citation.get("authors", ())),
        "has another licence than LICENSE": licence.lstrip().startswith("Apache License")
        and citation["license"] == "Apache-2.0",
    }
    yield from unless(CITATION, checks)


def _changes(text: str) -> list[str]:
    """Return the items of the lists, each on one line."""
    return [" ".join(part.split()) for part in re.findall(r"^- .+?(?=^- |^#|^$|\Z)", text, re.M | re.S)]


def _sections(changelog: str) -> dict[str, str]:
    """Return the unreleased text below each heading."""
    _, *parts = re.split(r"^### (.+)\n", _unreleased(changelog), flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _unreleased(changelog: str) -> str:
    (unreleased,) = UNRELEASED.findall(changelog)
    return str(unreleased)


def _version(project: Project) -> str:
    (version,) = VERSION.findall(project.texts[VERSION_FILE])
    return str(version)
