"""Discovery: what modules of a package define, found in a package written for the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.discovery import discover, import_modules


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with the modules a and b and the subpackages c, which has a config, and d."""
    name = f"discovered_{tmp_path.name}"
    files = {
        "__init__.py": "",
        "a.py": "LIST = [1]\nOTHER = [2]\n",
        "b.py": f"from {name}.a import LIST\nWORD = 'word'\n",
        "c/__init__.py": "",
        "c/config.py": "SIZE = 3\n",
        "d/__init__.py": "",
    }
    for file, text in files.items():
        path = tmp_path / name / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_each_instance_of_a_kind_is_found_once(package: str) -> None:
    assert [value for value in discover(package, list) if isinstance(value[0], int)] == [[1], [2]]
    assert "word" in discover(package, str)
    assert 3 in discover(package, int), "in a subpackage"


def test_modules_are_found_in_alphabetical_order(package: str) -> None:
    names = ["a", "b", "c", "c.config", "d"]
    assert [module.__name__ for module in import_modules(package)] == [f"{package}.{name}" for name in names]


def test_a_submodule_is_found_in_every_subpackage(package: str) -> None:
    (config,) = import_modules(package, submodule="config")
    assert config.SIZE == 3
