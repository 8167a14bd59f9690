"""Whoever follows a recipe of CONTRIBUTING.md finds what they added everywhere, in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from models.environment.variables import SettingError
from tests.recipes import copy_project, examples, recipes
from tests.source_modules import read
from tests.test_architecture import RULES

pytestmark = pytest.mark.slow
LINES = 10  # of a recipe without its example
Inventory = dict[str, Any]
# Which laws an example has to keep: files of tests, and what picks the example among them.
LAWS = {
    "strategy": ["tests/models/decoding/strategies/test_laws.py", "-k", "sibling or epsilon"],
    "look": ["tests/demo/inspect/test_every_view.py", "-k", "vectors"],
    "lab": [
        "tests/demo/labs/test_every_lab.py",
        "tests/demo/labs/test_scripts.py",
        "tests/demo/lessons",
        "-k",
        "frequencies and not translated",
    ],
    "part": ["tests/demo/evaluation/test_every_part.py", "-k", "ratio"],
    "method": [
        "tests/models/inspection/test_attribution.py",
        "-k",
        "replaced or nothing_is_left or history",
    ],
}
# In one process: to import what they need takes longer than most of them.
KEEP = """
import json, sys, pytest
codes = [pytest.main(["-q", "-p", "no:cacheprovider", *laws]) for laws in json.loads(sys.argv[1])]
sys.exit(max(codes))
"""
# What the copy is asked beside its inventory, also in one process: statements that set `told`.
ASKED = {
    "words": "from demo.views.word_count.component import WordCount; told = WordCount().postprocess('a b c')",
    "link": "from demo.links import Link; told = Link.of([('inspect', 'vectors')]).view()",
    "labs": "from demo.labs import labs; told = [lab.name for lab in labs()]",
    "steps": "from demo.lessons import lesson_called; told = len(lesson_called('frequencies').steps)",
    "part": "from demo.links.parameters import EVALUATE; told = EVALUATE['part']('part', 'ratio,system:a')",
    "methods": "from models.inspection.methods import METHODS; told = list(METHODS)",
    "terms": "from demo.views.glossary.assets import terms_text; told = terms_text()",
    "names": "from demo.glossary import names; told = list(names())",
}
ASK = """
import json, sys
found = {}
for name, statements in json.loads(sys.argv[1]).items():
    scope = {}
    exec(statements, scope)
    found[name] = scope["told"]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project after all recipes, the checkpoint of the last one trained and in its place."""
    project = copy_project(tmp_path_factory.mktemp("copy"))
    command = ["-m", "models.training", "--config", "recipe.json", "--output", "runs/mine"]
    run(project, *command, "--device", "cpu")
    shutil.copytree(project / "runs" / "mine" / "best", project / "checkpoints" / "reverse-short")
    shutil.copy(project / "recipe.json", project / "checkpoints" / "reverse-short")
    return project


@pytest.fixture(scope="module")
def inventory(copy: Path) -> Inventory:
    """What the copy offers."""
    found: Inventory = json.loads(run(copy, "-m", "tests.inventory", str(copy / "runs")))
    return found


@pytest.fixture(scope="module")
def answers(copy: Path) -> dict[str, Any]:
    """What the copy answers to `ASKED`."""
    found: dict[str, Any] = json.loads(run(copy, "-c", ASK, json.dumps(ASKED)))
    return found


@pytest.fixture(scope="module")
def kept(copy: Path) -> dict[str, int]:
    """How many laws each of the examples in `LAWS` was held to, and kept."""
    told = re.findall(r"(\d+) passed", run(copy, "-c", KEEP, json.dumps(list(LAWS.values()))))
    return dict(zip(LAWS, map(int, told), strict=True))


def run(project: Path, *arguments: str, **variables: str) -> str:
    """What Python prints there. Fails with what it complained of."""
    environment = {**os.environ, "PYTHONPATH": str(project), **variables}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("title", recipes())
def test_a_recipe_is_short_and_has_an_example(title: str) -> None:
    text = re.sub(r"<details>.*?</details>", "", recipes()[title], flags=re.S)
    assert 0 < len(text.strip().splitlines()) <= LINES
    assert examples(title)


def test_a_strategy_is_in_form_picker_comparison_program_link_and_style(inventory: Inventory) -> None:
    assert "Sibling beam" in inventory["form"]
    assert "sibling" in [form["strategy"] for form in inventory["picker"]]
    assert inventory["rows"]["sibling"].startswith("Sibling beam 4: ")
    assert "sibling" in inventory["api"]["strategy"][0]
    assert "sibling" in inventory["api"]["strategy"][1]
    assert "only-sibling" in inventory["style"]
    assert inventory["outputs"]["sibling"] == "ba"


def test_a_strategy_keeps_every_law(kept: dict[str, int]) -> None:
    assert kept["strategy"] > 20


def test_a_setting_is_in_form_picker_program_and_link(inventory: Inventory) -> None:
    assert "Epsilon" in inventory["form"]
    (form,) = (form for form in inventory["picker"] if form["strategy"] == "epsilon")
    (field,) = (field for field in form["fields"] if field["name"] == "epsilon")
    assert (field["least"], field["most"], field["step"]) == (0, 1, 0.001)
    assert inventory["api"]["epsilon"][0].endswith("at least this probability, 0 to 1.")
    assert "epsilon" in inventory["links"]
    assert inventory["outputs"]["epsilon"] == "ba"


def test_a_cell_and_a_network_can_be_chosen(inventory: Inventory) -> None:
    # That they are trained, packed and described is tested in tests/models/networks/test_newcomers.py.
    assert {"Minimal gated unit", "Convolutional", "Reach"} <= {*inventory["form"]}


def test_a_figure_has_a_card_a_caption_and_a_part_in_links(inventory: Inventory) -> None:
    assert "surprise" in inventory["figures"]
    assert inventory["captions"]["surprise"].startswith("The most surprising token is ")
    assert "surprise" in inventory["cards"]
    assert "surprise" in inventory["parts"]
    assert inventory["hidden by"]["surprise"] == ["surprise", "probabilities"]
    assert 'data-figure="surprise"' in inventory["exported"]


def test_a_card_is_on_the_page_and_in_what_is_exported(inventory: Inventory) -> None:
    cards = inventory["cards"]
    assert cards.index("output") < cards.index("lengths") < cards.index("ranking")
    assert inventory["captions"]["lengths"] == "Tokens of the source: 3. Tokens of the outputs: 3 to 3."
    assert "lengths" in inventory["parts"]
    assert 'data-caption="lengths"' in inventory["exported"]


def test_a_view_is_a_component_whose_script_the_page_brings(
    inventory: Inventory, answers: dict[str, Any]
) -> None:
    assert 'modules["word_count/view.js"]' in inventory["scripts"]
    assert answers["words"] == 3


def test_a_look_into_the_network_is_a_tab_with_a_link_and_keeps_every_law(
    inventory: Inventory, answers: dict[str, Any], kept: dict[str, int]
) -> None:
    assert "vectors" in inventory["cards"]
    assert "vectors" in inventory["parts"]
    assert 'data-tab="vectors"' in inventory["exported"]
    assert answers["link"] == {"inspect": "vectors"}
    assert kept["look"] >= 8


def test_a_lab_and_its_lesson_are_on_the_page_and_keep_every_law(
    answers: dict[str, Any], kept: dict[str, int]
) -> None:
    assert answers["labs"].index("frequencies") > 0
    assert answers["steps"] == 3
    assert kept["lab"] >= 6


def test_a_part_of_an_evaluation_has_a_link_and_keeps_every_law(
    answers: dict[str, Any], kept: dict[str, int]
) -> None:
    assert answers["part"] == "ratio,system:a"
    assert kept["part"] >= 5


def test_a_method_of_attribution_is_asked_with_the_others(
    answers: dict[str, Any], kept: dict[str, int]
) -> None:
    assert kept["method"] >= 8
    assert answers["methods"][-1] == "at_random"


def test_a_sentence_is_said_in_another_language_and_the_others_are_missed(inventory: Inventory) -> None:
    told = "Tokens del original: 3. Tokens de las salidas: de 3 a 3."
    assert inventory["in Spanish"]["lengths"] == told
    missed = inventory["not translated"]
    assert "The most surprising token is {token}: {nats} nats." in missed
    assert "Sibling beam" in missed
    assert not any(sentence.startswith("Tokens of the source") for sentence in missed)


def test_a_glossary_term_explains_itself_under_all_of_its_names(
    inventory: Inventory, answers: dict[str, Any]
) -> None:
    ((_, meaning),) = (pair for pair in json.loads(answers["terms"]) if pair[0][0] == "METEOR")
    assert meaning.endswith("100% means equal.")
    assert "METEOR score" in answers["names"]
    assert {"METEOR|METEOR score", meaning} <= {*inventory["not translated"]}


def test_an_environment_setting_is_in_the_table_and_checked(copy: Path, inventory: Inventory) -> None:
    row = "| `UNROLLED_MAX_WORDS` | 10 to 400 | 100 | words of a source text |"
    assert row in inventory["settings"]
    asked = (
        "from demo.operator.settings import OperatorSettings; from models.environment.variables import read;"
        "print(read(OperatorSettings).max_words)"
    )
    assert run(copy, "-c", asked, UNROLLED_MAX_WORDS="20") == "20\n"
    refusal = rf"{SettingError.__name__}: UNROLLED_MAX_WORDS\b.*\b10\b.*\b400\b"
    with pytest.raises(AssertionError, match=refusal):
        run(copy, "-c", asked, UNROLLED_MAX_WORDS="5")


def test_a_checkpoint_is_in_every_list_by_its_folder_alone(inventory: Inventory) -> None:
    assert "reverse-short" in inventory["checkpoints"]
    assert "reverse-short" in inventory["form"]


def test_the_examples_keep_the_house_rules(copy: Path) -> None:
    whole = [copy / each.path for each in examples() if each.path.endswith(".py") and not each.above]
    run(copy, "-m", "ruff", "check", "--no-cache", *map(str, whole))
    run(copy, "-m", "ruff", "format", "--check", "--no-cache", *map(str, whole))
    modules = [read(path, copy) for path in whole]
    assert [breach for module in modules for rule in RULES for breach in rule(module)] == []
