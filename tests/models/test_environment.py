"""Environment variables as fields: read, refused with a sentence, listed in a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from models.environment import SettingError, read, table, variable
from models.setting import words
from tests.refusals import refused


@dataclass(frozen=True)
class Bakery:
    """Invented settings."""

    ovens: int = variable("BAKERY_OVENS", "how many", 2, bounds=(1, 1_200))
    flour: int = variable("BAKERY_FLOUR", "in the cellar", 3 << 30, zero="no cap", unit="bytes")
    open: bool = variable("BAKERY_OPEN", "whether it is", True)
    bread: str = variable("BAKERY_BREAD", "of the day", "rye", offers=words("rye", "spelt"))
    shelves: tuple[str, ...] = variable(
        "BAKERY_SHELVES",
        "in use",
        ("low", "middle", "high"),
        offers=words("low", "middle", "high"),
        always="low",
    )
    cellar: Path = variable(
        "BAKERY_CELLAR", "where", make=Path.home, sort="a folder", default_text="one's home"
    )
    shop: str = variable("BAKERY_SHOP", "its page", "", sort="a URL")
    timeout: float = 2.0  # has no variable


def test_empty_and_absent_variables_keep_their_default() -> None:
    assert read(Bakery, {}) == Bakery() == read(Bakery, {"BAKERY_OVENS": " ", "BAKERY_SHELVES": ","})
    assert Bakery().cellar == Path.home()


def test_values_are_read_in_their_usual_spellings() -> None:
    settings = {
        "BAKERY_OVENS": " 1_200 ",
        "BAKERY_FLOUR": "0",
        "BAKERY_OPEN": "NO",
        "BAKERY_BREAD": "Spelt",
        "BAKERY_SHELVES": "HIGH, middle,",
        "BAKERY_CELLAR": "~/cellar",
        "BAKERY_SHOP": "https://example.com",
    }
    shelves, cellar = ("low", "middle", "high"), Path.home() / "cellar"
    assert read(Bakery, settings) == Bakery(1200, 0, False, "spelt", shelves, cellar, "https://example.com")


@pytest.mark.parametrize("text", ["ten", "1.5", "1e3", "-4", "٣٣", "9" * 5000, "0x20", "0", "1201"])
def test_an_invalid_number_is_refused_by_name(text: str) -> None:
    with refused(SettingError, "not_whole_within", "BAKERY_OVENS", "1", "1,200") as excinfo:
        read(Bakery, {"BAKERY_OVENS": text})
    assert len(str(excinfo.value)) < 120


@pytest.mark.parametrize(
    ("name", "text", "code", "values"),
    [
        ("FLOUR", "4GB", "not_whole", ("0", "'4GB'")),
        ("OPEN", "perhaps", "not_one_of", ("on, off", "'perhaps'")),
        ("BREAD", "cake", "not_one_of", ("rye, spelt", "'cake'")),
        ("SHELVES", "low,top", "not_a_list_of", ("low, middle, high", "'low,top'")),
        ("CELLAR", "~nobody-of-this-name/x", "not_of_its_sort", ("'~nobody-of-this-name/x'",)),
    ],
)
def test_an_invalid_variable_is_refused_by_name(
    name: str, text: str, code: str, values: tuple[str, ...]
) -> None:
    with refused(SettingError, code, f"BAKERY_{name}", *values):
        read(Bakery, {f"BAKERY_{name}": text})


def test_a_settings_class_lists_its_variables() -> None:
    assert table(Bakery).splitlines()[2:] == [
        "| `BAKERY_OVENS` | 1 to 1,200 | 2 | how many |",
        "| `BAKERY_FLOUR` | whole number | 3 GiB; 0, no cap | in the cellar |",
        "| `BAKERY_OPEN` | `on`, `off` | `on` | whether it is |",
        "| `BAKERY_BREAD` | `rye`, `spelt` | `rye` | of the day |",
        "| `BAKERY_SHELVES` | some of `low`, `middle`, `high`, with commas | all | in use |",
        "| `BAKERY_CELLAR` | a folder | one's home | where |",
        "| `BAKERY_SHOP` | a URL | none | its page |",
    ]
