"""Each recipe of CONTRIBUTING.md, followed in a copy of the project, has its effect everywhere."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from models.environment import SettingError
from tests.documents import ROOT
from tests.lint.project import Project
from tests.lint.rooms import rules
from tests.recipes import examples, recipes, run, trained_copy

pytestmark = pytest.mark.slow
LINES = 10  # most lines of a recipe without its example
SOURCES = {
    "A lab": 2,
    "A lesson": 2,
    "A setting": 2,
    "An endpoint": 2,
    "A network": 3,
    "A training setting": 2,
    "A view": 4,
}
SOURCE_FILE = re.compile(r"(demo|models)/.*(?<!\.json)")  # catalogues of translations do not count
Inventory = dict[str, Any]
# Programs that run in the copy, all in one process, since its imports take seconds. Each sets `result`.
PROBES = {
    "inventory": """
from pathlib import Path
from tests.inventory import inventory
result = inventory(Path("runs"))
""",
    "words": "from demo.widgets.word_count.component import WordCount; "
    "result = WordCount().postprocess('a b c')",
    "link": "from demo.links import Link; result = Link.parse([('inspect', 'vectors')]).take_view()",
    "labs": "from demo.labs import labs; result = [lab.name for lab in labs()]",
    "steps": "from demo.learn.lessons import lesson_called; result = len(lesson_called('frequencies').steps)",
    "part": "from demo.links.parameters import EVALUATE; result = EVALUATE['part']('part', 'ratio,system:a')",
    "methods": "from models.inspection.methods import METHODS; result = list(METHODS)",
    "terms": "from demo.widgets.glossary.terms import terms_text; result = terms_text()",
    "language": """
from demo.i18n import in_language, say
from demo.page.interface import HEADER, launch_settings
from demo.learn.lessons import lesson_called
from demo.learn.lessons.lesson import text_of
with in_language("it"):
    step = lesson_called("tour").steps[0]
    sentences = [say("Decode"), say("Compare"), text_of(step.reveal), text_of(step.text)]
result = [HEADER, launch_settings()["head"], *sentences]
""",
    "names": "from demo.widgets.glossary.terms import names; result = list(names())",
    "rates": "from models.training.loop.optimizer import learning_rate; "
    "from models.training.recipe.sections import OptimizerConfig; "
    "settings = OptimizerConfig(warmup_steps=2, hold_steps=3); "
    "result = [learning_rate(settings, step, 10) for step in (2, 5, 6)]",
}
RUN_PROBES = """
import json, sys
results = {}
for name, statements in json.loads(sys.argv[1]).items():
    scope = {}
    exec(statements, scope)
    results[name] = scope["result"]
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which all recipes have been followed."""
    return trained_copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def answers(copy: Path) -> dict[str, Any]:
    """The results of `PROBES` in the copy."""
    results: dict[str, Any] = json.loads(run(copy, "-c", RUN_PROBES, json.dumps(PROBES)))
    return results


@pytest.fixture(scope="module")
def inventory(answers: dict[str, Any]) -> Inventory:
    """The inventory of the copy; see `tests.inventory`."""
    items: Inventory = answers["inventory"]
    return items


@pytest.mark.parametrize("title", recipes())
def test_a_recipe_is_short_and_has_an_example(title: str) -> None:
    text = re.sub(r"<details>.*?</details>", "", recipes()[title], flags=re.S)
    assert 0 < len(text.strip().splitlines()) <= LINES
    assert examples(title)


@pytest.mark.parametrize("title", recipes())
def test_a_recipe_takes_few_source_files(title: str) -> None:
    files = {example.path for example in examples(title) if SOURCE_FILE.fullmatch(example.path)}
    assert len(files) <= SOURCES.get(title, 1)


@pytest.mark.full
def test_a_strategy_is_in_form_picker_comparison_program_link_and_style(inventory: Inventory) -> None:
    assert "Sibling beam" in inventory["form"]
    assert "sibling" in [form["strategy"] for form in inventory["picker"]]
    assert inventory["rows"]["sibling"].startswith("Sibling beam 4: ")
    assert "sibling" in inventory["api"]["strategy"][0]
    assert "sibling" in inventory["api"]["strategy"][1]
    assert "only-sibling" in inventory["style"]
    assert inventory["outputs"]["sibling"] == "ba"
    assert inventory["listings"]["sibling"] == "Sibling beam has no listing yet."
    assert inventory["listings"]["beam"] == ""


@pytest.mark.full
def test_a_setting_is_in_form_picker_program_and_link(inventory: Inventory) -> None:
    assert "Epsilon" in inventory["form"]
    (form,) = (form for form in inventory["picker"] if form["strategy"] == "epsilon")
    (field,) = (field for field in form["fields"] if field["name"] == "epsilon")
    assert (field["least"], field["most"], field["step"]) == (0, 1, 0.001)
    assert inventory["api"]["epsilon"][0].endswith("at least this probability, 0 to 1.")
    assert "epsilon" in inventory["links"]
    assert inventory["outputs"]["epsilon"] == "ba"


@pytest.mark.full
def test_a_training_setting_is_in_the_form_and_takes_effect(
    inventory: Inventory, answers: dict[str, Any]
) -> None:
    assert "Hold, in steps" in inventory["form"]
    warm, constant, falling = answers["rates"]
    assert warm == constant > falling


@pytest.mark.full
def test_an_endpoint_answers_a_program(inventory: Inventory) -> None:
    assert inventory["answers"]["count"] == {"tokens": 3, "unknown": 0}


@pytest.mark.full
def test_a_cell_and_a_network_can_be_chosen(inventory: Inventory) -> None:
    # tests/models/networks/test_newcomers.py trains, saves and describes them.
    assert {"Minimal gated unit", "Convolutional", "Reach"} <= {*inventory["form"]}


@pytest.mark.full
def test_a_figure_has_a_card_a_caption_and_a_part_in_links(inventory: Inventory) -> None:
    assert "surprise" in inventory["figures"]
    assert inventory["captions"]["surprise"].startswith("The most surprising token is ")
    assert "surprise" in inventory["cards"]
    assert "surprise" in inventory["parts"]
    assert inventory["hidden by"]["surprise"] == ["surprise", "probabilities"]
    assert 'data-figure="surprise"' in inventory["exported"]


@pytest.mark.full
def test_a_card_is_on_the_page_and_in_the_exported_page(inventory: Inventory) -> None:
    cards = inventory["cards"]
    assert cards.index("output") < cards.index("lengths") < cards.index("ranking")
    assert inventory["captions"]["lengths"] == "Tokens of the source: 3. Tokens of the outputs: 3 to 3."
    assert "lengths" in inventory["parts"]
    assert 'data-caption="lengths"' in inventory["exported"]


@pytest.mark.full
def test_a_view_is_a_component_whose_script_the_page_loads(
    inventory: Inventory, answers: dict[str, Any]
) -> None:
    assert 'modules["widgets/word_count/view.js"]' in inventory["scripts"]
    assert answers["words"] == 3


@pytest.mark.full
def test_a_view_of_inspect_is_a_tab_with_a_link(inventory: Inventory, answers: dict[str, Any]) -> None:
    assert "vectors" in inventory["cards"]
    assert "vectors" in inventory["parts"]
    assert 'data-tab="vectors"' in inventory["exported"]
    assert answers["link"] == {"inspect": "vectors"}


@pytest.mark.full
def test_a_lab_is_listed_and_its_lesson_is_read(answers: dict[str, Any]) -> None:
    assert answers["labs"].index("frequencies") > 0
    assert answers["steps"] == 3


@pytest.mark.full
def test_a_part_of_an_evaluation_has_a_link(answers: dict[str, Any]) -> None:
    assert answers["part"] == "ratio,system:a"


@pytest.mark.full
def test_a_method_of_attribution_is_listed_with_the_others(answers: dict[str, Any]) -> None:
    assert answers["methods"][-1] == "at_random"


@pytest.mark.full
def test_a_sentence_is_translated_and_the_missing_ones_are_listed(inventory: Inventory) -> None:
    spanish = "Tokens del original: 3. Tokens de las salidas: de 3 a 3."
    assert inventory["in Spanish"]["lengths"] == spanish
    missed = inventory["not translated"]
    assert "The most surprising token is {token}: {nats} nats." in missed
    assert "Sibling beam" in missed
    assert not any(sentence.startswith("Tokens of the source") for sentence in missed)


@pytest.mark.full
def test_a_language_is_in_the_menu_and_falls_back_to_english(answers: dict[str, Any]) -> None:
    header, head, decode, compare, translated, lacking = answers["language"]
    assert '<option lang="it" value="it">Italiano (in corso)</option>' in header
    assert "glossary-it/" in head
    assert (decode, compare) == ("Decodifica", "Compare")
    assert translated.startswith("«{token(2)}», con ")
    assert lacking.startswith("Above is a Spanish question")


@pytest.mark.full
def test_a_glossary_term_explains_itself_under_all_of_its_names(
    inventory: Inventory, answers: dict[str, Any]
) -> None:
    ((_, meaning, *_),) = (pair for pair in json.loads(answers["terms"]) if pair[0][0] == "METEOR")
    assert meaning.endswith("100% means equal.")
    assert "METEOR score" in answers["names"]
    assert {"METEOR|METEOR score", meaning} <= {*inventory["not translated"]}


@pytest.mark.full
def test_an_environment_setting_is_in_the_table_and_checked(copy: Path, inventory: Inventory) -> None:
    row = "| `UNROLLED_MAX_WORDS` | 10 to 400 | 100 | words of a source text |"
    assert row in inventory["settings"]
    program = (
        "from demo.work.operator.settings import OperatorSettings;"
        "from models.environment import read;"
        "print(read(OperatorSettings).max_words)"
    )
    assert run(copy, "-c", program, UNROLLED_MAX_WORDS="20") == "20\n"
    refusal = rf"{SettingError.__name__}: UNROLLED_MAX_WORDS\b.*\b10\b.*\b400\b"
    with pytest.raises(AssertionError, match=refusal):
        run(copy, "-c", program, UNROLLED_MAX_WORDS="5")


@pytest.mark.full
def test_a_checkpoint_is_in_every_list_by_its_folder_alone(inventory: Inventory) -> None:
    assert "reverse-short" in inventory["checkpoints"]
    assert any(entry.endswith(" · reverse-short") for entry in inventory["form"])


@pytest.mark.full
def test_the_examples_keep_the_house_rules(copy: Path) -> None:
    names = dict.fromkeys(example.path for example in examples())
    paths = [copy / name for name in names if name.endswith(".py")]
    run(copy, "-m", "ruff", "check", "--no-cache", *map(str, paths))
    run(copy, "-m", "ruff", "format", "--check", "--no-cache", *map(str, paths))
    texts = {path.relative_to(copy).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    breaches = [breach for rule in rules("code") for breach in rule(Project.planted(texts))]
    assert breaches == []


@pytest.mark.full
def test_the_examples_have_the_right_types(copy: Path) -> None:
    # They may name something of the project that has since been renamed.
    if (cache := ROOT / ".mypy_cache").is_dir():
        shutil.copytree(cache, copy / ".mypy_cache")
    run(copy, "-m", "mypy", *{example.path for example in examples() if example.path.endswith(".py")})
