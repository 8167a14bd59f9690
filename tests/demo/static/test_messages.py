"""The errors of the page without a server are messages of the library, which have translations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.messages import messages
from tests.source_modules import ROOT, sources

SCRIPTS = sorted((ROOT / "demo" / "static").rglob("*.js"))
TEXT = r'"(?:[^"\\]|\\.)*"'
ERROR = re.compile(rf"new UnrolledError\(\s*({TEXT}),\s*({TEXT}(?:\s*\+\s*{TEXT})*)")


def messages_of_scripts() -> Iterator[tuple[str, str]]:
    """Yield the code and the template of each error."""
    for script in SCRIPTS:
        for code, template in ERROR.findall(script.read_text(encoding="utf-8")):
            yield json.loads(code), "".join(map(json.loads, re.findall(TEXT, template)))


@pytest.mark.slow
def test_every_error_of_a_script_is_one_of_the_library() -> None:
    of_library = {
        (message.code, message.template) for x in sources("models", "demo") for message in messages(x)
    }
    of_scripts = set(messages_of_scripts())
    assert of_scripts
    assert of_scripts - of_library == set()


def test_every_error_states_code_and_template_as_texts() -> None:
    errors = sum(script.read_text(encoding="utf-8").count("new UnrolledError(") for script in SCRIPTS)
    assert errors == len(list(messages_of_scripts()))
