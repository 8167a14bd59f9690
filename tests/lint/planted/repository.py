"""A small repository that keeps its rules, and planted breaches of them."""

from __future__ import annotations

from tests.generated_docs import hidden_parts
from tests.lint.planted import Planted, Sound, Texts
from tests.lint.project import Rule
from tests.lint.repository import documents, files, release, space

README = f"""---
title: Unrolled
emoji: 🧵
colorFrom: green
colorTo: blue
sdk: gradio
sdk_version: 6.31.0
python_version: "3.12"
app_file: app.py
short_description: See how models decode
license: apache-2.0
---

# Unrolled

{". ".join(files.ABOUT_TORCH)}. It runs with Python 3.10 to 3.13.

![Decoding](docs/images/decode.png) ![Drawing](docs/images/architecture.svg)
[Links](docs/links.md#parts) and [changes](CHANGELOG.md), `demo/__init__.py`, `docs/*.md` and `models.batch`.
[Help](CONTRIBUTING.md) and [report](SECURITY.md).

| [`tiny`](checkpoints/tiny/) |

```python
from models.decoding.decode import decode
```
"""
CHANGELOG = """# Changelog

## [Unreleased]

### Added

#### Decode

- It can be stopped.

### Fixed

- It goes on; before, it stopped.

## [0.2.0] - 2026-03-04

- It
  stops.
- It starts.

## [0.1.0] - 2026-01-02

- It was written.
"""
CITATION = """cff-version: 1.2.0
message: Cite it.
title: Unrolled
authors:
  - name: The maintainers
license: Apache-2.0
version: 0.2.0
date-released: 2026-03-04
"""
PACKAGES = (
    *("demo.decode", "demo.widgets", "demo.labs", "demo.inspect", "demo.work", "demo.server", "models.hub"),
    *("models.corpus", "models.decoding", "models.networks", "models.training"),
)
SOUND_FILES: Texts = dict.fromkeys(sorted(files.REQUIRED - {"demo", "docs", "checkpoints"}), "") | {
    "README.md": README,
    "CHANGELOG.md": CHANGELOG,
    "CITATION.cff": CITATION,
    "LICENSE": "Apache License\n",
    ".gitattributes": space.BINARY,
    "requirements.txt": f"# the app\n{files.TORCH}\ngradio>=6.1,<7\n",
    "requirements-dev.txt": "-r requirements.txt\n\npytest>=9\n",
    "demo/__init__.py": '__version__ = "0.2.0"  # of all\n',
    "docs/links.md": f"# Parts\n\n<!-- parts -->\n\n{hidden_parts()}\n\n<!-- parts -->\n",
    "docs/images/architecture.svg": "".join(f"<text>{name}</text>" for name in PACKAGES),
    "docs/images/decode.png": "a picture",
    "checkpoints/tiny/config.json": "{}",
    # Links and paths that exist on every machine.
    "docs/notes.txt": "https://example.org/home/name ../work/name a/root/name /usr/mnt/name",
}
DEV = "requirements-dev.txt"
LONG = "# Unrolled" + " word" * documents.MAX_WORDS
TWICE = "stopped.\n- It can\n  be stopped."
R, C, L, D = "README.md", "CHANGELOG.md", "LICENSE", "demo/__init__.py"
CITED, PICTURE, NOTES = "CITATION.cff", "docs/images/decode.png", "docs/notes.txt"
DRAWN = "docs/images/architecture.svg"
MACHINES = zip(files.PRIVATE, ("open('", "", "cd ", "DATA=", "(", "x:"), strict=True)
# By rule: a file, what is replaced there and by what, and how the breach begins.
CHANGES: dict[Rule, tuple[tuple[str, str, str, str], ...]] = {
    files.the_top_level_holds_the_agreed_files: (
        ("stray.py", "", "x", "1: has no place at the top"),
        ("Makefile", "", "MISSING", "1: is missing or not tracked"),
    ),
    files.no_tracked_file_needs_large_file_storage: (
        (PICTURE, "a", "a" * files.LARGEST_FILE, "1: has 10,000,0"),
    ),
    files.requirements_name_no_index_or_machine: (
        (DEV, "\n\n", "\n--index-url https://x.org\n", "2: has an option"),
        (DEV, "requirements.txt", "/x.txt", "1: has an option: -r /x.txt"),
    ),
    files.spaces_accept_a_fresh_torch_and_the_readme_names_it: (
        ("requirements.txt", "<=2.13.0", "", "1: does not ask"),
        (R, "2.13.0", "2.14.0", "1: does not say: A fresh"),
    ),
    space.spaces_accept_the_header: (
        (R, "title: ", "titel: ", "1: has a header with unknown keys: ['titel']"),
        (R, "green", "dark", "1: has a header with a colour"),
        (R, "See how", "See how " * 10, "1: has a short_description"),
        (R, "🧵", "x", "1: has a header without an emoji"),
        (R, "sdk: gradio", "sdk: static", "1: has a header whose sdk"),
        (R, "app.py", "main.py", "1: has an app_file"),
        (R, "apache-2.0", "mit", "1: has another licence"),
        (L, "Apache", "MIT", "1: has another licence"),
        (".gitattributes", "binary", "text", "1: does not say"),
    ),
    space.the_project_supports_the_versions_of_the_header: (
        (R, "6.31.0", "7.0.0", "1: has an sdk_version"),
        (R, '"3.12"', '"3.9"', "1: has an unsupported python"),
    ),
    release.every_change_is_under_the_lowest_heading: (
        (C, "Added\n", "Added\n\n- It starts.\n", "1: has changes"),
    ),
    release.every_heading_has_empty_lines_around_it: (
        (C, "### Added\n\n", "### Added\n", "5: has no empty lines"),
        (C, "\n\n### Fixed", "\n### Fixed", "9: has no empty lines"),
    ),
    release.every_change_is_listed_once_in_one_pattern: (
        (C, "stopped.", TWICE, "1: lists a change twice"),
        (C, "- It can", "- What can", "1: begins with an inversion"),
        (C, "; before, it stopped", "", "1: does not say what was"),
    ),
    release.the_changelog_dates_every_version: (
        (C, "[0.2.0]", "[0.3.0]", "1: does not begin with Unreleased and 0.2"),
        (C, " - 2026-01-02", "", "1: has a release without a date"),
        (C, "2026-01-02", "2027-01-02", "1: has releases out of order"),
    ),
    release.the_version_has_three_numbers_and_one_place: (
        (D, "0.2.0", "0.2", "1: has no three numbers"),
        ("app.py", "", '\nX = "0.2.0"', "2: repeats the version"),
    ),
    release.the_citation_is_that_of_the_version: (
        (CITED, "version: 0.2.0", "version: 0.1.0", "1: is not that of"),
        (CITED, "2026-03-04", "2026-03-05", "1: has another date"),
        (CITED, "1.2.0", "1.1.0", "1: has another format"),
        (CITED, "message", "note", "1: lacks a message"),
        (CITED, "- name", "- alias", "1: has an author without a name"),
        (CITED, "Apache-2.0", "MIT", "1: has another licence"),
        (L, "Apache", "MIT", "1: has another licence"),
    ),
    files.no_tracked_file_names_a_folder_of_one_machine: tuple(
        (NOTES, "https", f"a line\n{before}/{folder}/name", "2: names") for folder, before in MACHINES
    ),
    documents.every_link_has_a_target: (
        (R, "](CHANGELOG.md)", "](no.md)", "19: links to no.md"),
        (R, "#parts", "#wholes", "19: links to docs/links.md#wholes"),
    ),
    documents.every_named_file_and_module_exists: (
        (R, "`demo/__init__.py`", "`demo/no.py`", "19: names demo/no.py"),
        (R, "`docs/*.md`", "`docs/*.py`", "19: names docs/*.py"),
        (R, "models.batch", "models.batch.Nothing", "19: names models.b"),
        (R, "`models.batch", "`python -m models.no", "19: names models.no"),
    ),
    documents.every_import_of_an_example_exists: (
        (R, "import decode", "import Nothing", "25: imports models.decoding"),
    ),
    documents.the_readme_is_short_and_lists_checkpoints: (
        (R, "# Unrolled", LONG, "1: has more than"),
        (R, "`tiny`", "`small`", "1: lists small, which"),
        ("checkpoints/small/config.json", "", "{}", "1: does not list the checkpoint small"),
    ),
    documents.every_guide_can_be_reached_from_the_readme: (
        ("docs/alone.md", "", "# Alone", "1: cannot be reached"),
    ),
    documents.every_picture_is_small_and_shown: (
        ("docs/images/other.png", "", "a picture", "1: is shown in no"),
        (PICTURE, "a", "a" * documents.LARGEST_PICTURE, "1: has 1,500,0"),
    ),
    documents.generated_tables_are_up_to_date: (
        ("docs/links.md", "`header`", "`head`", "3: has a table parts"),
    ),
    documents.the_drawing_names_existing_packages: (
        (DRAWN, "models.hub", "models.nothing", "1: names models.nothing"),
        (DRAWN, "<text>models.hub</text>", "", "1: names fewer"),
    ),
}


def changed(path: str, old: str, new: str) -> Texts:
    """Return the repository with one change; `MISSING` removes a file."""
    before = SOUND_FILES.get(path, "")
    assert old in before, (path, old)
    texts = {**SOUND_FILES, path: before.replace(old, new, 1)}
    return {name: text for name, text in texts.items() if text != "MISSING"}


BREACHES: tuple[Planted, ...] = tuple(
    (rule, changed(*change), text) for rule, changes in CHANGES.items() for *change, text in changes
)
SOUND: tuple[Sound, ...] = (("repository", SOUND_FILES),)
