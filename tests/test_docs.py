"""The documents: the example of the README runs, and the sections that networks compute are up to date."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.documents import ROOT, Document
from tests.generated_docs import COMPUTED

README = Document(ROOT / "README.md")
ROUNDED = 0.011  # relative, and below 1 absolute, difference of a number between machines
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_the_example_of_the_readme_prints_its_stated_output() -> None:
    (example,) = (block for block in README.blocks if block.language == "python")
    with redirect_stdout(StringIO()) as printed:
        exec(compile(example.code, str(README.path), "exec"), {})
    assert printed.getvalue() == example.printed != ""


@pytest.mark.full
@pytest.mark.parametrize(("path", "name"), COMPUTED, ids=map(" ".join, COMPUTED))
def test_a_computed_section_is_up_to_date(path: str, name: str) -> None:
    """The words are the same, and every number is, but for the last digit that another machine may round."""
    stored, computed = Document(ROOT / path).marked(name), COMPUTED[path, name]()
    remedy = f"{path} is out of date: run `make docs`"
    assert NUMBER.sub("0", stored) == NUMBER.sub("0", computed), remedy
    for one, other in zip(NUMBER.findall(stored), NUMBER.findall(computed), strict=True):
        assert abs(float(one) - float(other)) <= ROUNDED * max(abs(float(other)), 1), remedy
