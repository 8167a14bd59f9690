"""Networks of the transformers library as checkpoints of a registry."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.registry.hugging_face.files import adopt, tokenizer_in_variant
from models.registry.registry import Registry, UnknownCheckpointError
from tests.fakes.hugging_face.folders import FAMILIES, save_repository, settings_of
from tests.fakes.hugging_face.tokenizers import SENTENCES
from tests.refusals import refused

pytestmark = pytest.mark.slow

CPU = torch.device("cpu")
NAMES = {family: f"somebody--{family}" for family in FAMILIES}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Registry, dict[str, Any]]:
    """A registry of one network of each family, and what the library has of each."""
    root, theirs = tmp_path_factory.mktemp("zoo"), {}
    for family, name in NAMES.items():
        theirs[family] = save_repository(root / name / "transformers", family)
        adopt(root / name, f"somebody/{family}")
    return Registry(root), theirs


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("beam_size", [1, 4])
def test_a_foreign_model_decodes_as_the_library_generates(zoo: Any, family: str, beam_size: int) -> None:
    registry, theirs = zoo
    tokenizer, model = theirs[family]
    languages = {"nllb": ("fra_Latn", "spa_Latn"), "mbart50": ("fr_XX", "es_XX"), "m2m100": ("fr", "es")}.get(
        family
    )
    checkpoint = registry.load(NAMES[family] + (f"@{'-'.join(languages)}" if languages else ""), CPU)
    for sentence in SENTENCES:
        first = {}
        if languages:
            tokenizer.src_lang = languages[0]
            code = f"__{languages[1]}__" if family == "m2m100" else languages[1]
            first = {"forced_bos_token_id": tokenizer.convert_tokens_to_ids(code)}
        text = {"t5": "translate Spanish to French: ", "madlad": "<2es> "}.get(family, "") + sentence
        options = {"max_new_tokens": 12, "num_beams": beam_size, "do_sample": False, "length_penalty": 0.0}
        options["suppress_tokens"] = [tokenizer.pad_token_id]  # padding is never written here
        expected = model.generate(**tokenizer(text, return_tensors="pt"), **options, **first)[0, 1:].tolist()
        request = DecodingOptions("beam" if beam_size > 1 else "greedy", beam_size=beam_size, max_length=12)
        trace = decode(checkpoint.model, checkpoint.tokenizer, sentence, request)
        end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
        result = list(trace.hypotheses[0].token_ids)
        assert [i for i in result if i not in (end, pad)] == [i for i in expected if i not in (end, pad)]


def test_many_models_are_read_at_once(zoo: Any) -> None:
    registry, theirs = zoo
    names = [name for name in NAMES.values() for _ in range(3)]
    with ThreadPoolExecutor(len(names)) as pool:
        loaded = list(pool.map(lambda name: Registry(registry.root).load(name, CPU), names))
    for name, checkpoint in zip(names, loaded, strict=True):
        _, model = theirs[name.removeprefix("somebody--")]
        expected = model.state_dict()
        result = checkpoint.model.library_model.state_dict()
        assert {key for key in expected if not torch.equal(expected[key], result[key])} == set()


@pytest.mark.full
def test_many_models_are_read_at_once_after_the_start_of_a_server(zoo: Any) -> None:
    """Several threads may be the first to import a name of the library; all but one got an error."""
    registry, _ = zoo
    code = f"""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
import torch
from models.registry.registry import Registry
registry = Registry(Path({str(registry.root)!r}))
together = Barrier(8)
def read(number):
    together.wait()
    name = registry.names()[number % 4]
    registry.load(name, torch.device("cpu")) if number % 2 else registry.tokenizer(name)
with ThreadPoolExecutor(8) as pool:
    list(pool.map(read, range(8)))
"""
    root = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_variant_shares_the_vocabulary_and_leaves_its_base_unchanged(zoo: Any) -> None:
    registry, _ = zoo
    base = registry.tokenizer(NAMES["nllb"])
    before = base.encode("el perro"), base.first_ids
    other = tokenizer_in_variant(base, registry.config(NAMES["nllb"] + "@spa_Latn-spa_Latn"))
    assert other._reads is base._reads  # a vocabulary of a quarter of a million pieces
    assert [other.token(i) for i in (other.encode("el").ids[0], *other.first_ids)] == ["spa_Latn"] * 2
    assert other.encode("el perro").ids != before[0].ids
    assert (base.encode("el perro"), base.first_ids) == before


def test_languages_and_tasks_are_read_from_the_name(zoo: Any) -> None:
    registry, _ = zoo

    def languages(family: str, variant: str = "") -> tuple[str, str]:
        config = registry.config(NAMES[family] + variant)
        return config.source_language, config.target_language

    assert languages("nllb", "@fra_Latn-spa_Latn") == ("fr", "es")
    assert languages("nllb") == ("fr", "es")
    assert languages("mbart50") == ("en", "es")
    assert languages("m2m100") == ("en", "es")
    assert languages("m2m100", "@zh-ja") == ("zh", "ja")
    assert languages("mbart50", "@zh_CN-ja_XX") == ("zh", "ja")
    assert languages("marian") == ("es", "fr")
    assert languages("t5") == ("es", "fr")
    assert languages("madlad") == ("", "es")
    assert languages("madlad", "@sr_Latn") == ("", "sr")
    assert registry.tokenizer(NAMES["t5"] + "@plain").encode("el").ids != (
        registry.tokenizer(NAMES["t5"] + "@summarization").encode("el").ids
    )


@pytest.mark.parametrize("variant", ["@", "@fra_Latn-", "@-", "@nobody", "@spa_Latn", "@a-b-c", "@plain"])
def test_an_unknown_variant_is_named(zoo: Any, variant: str) -> None:
    registry, _ = zoo
    if variant == "@":
        assert registry.config(NAMES["nllb"] + variant) == registry.config(NAMES["nllb"])
        return
    for read in (registry.config, registry.tokenizer, lambda name: registry.load(name, CPU)):
        with refused(UnknownCheckpointError, "no_such_pair"):
            read(NAMES["nllb"] + variant)
    with refused(UnknownCheckpointError, "no_variants"):
        registry.config(NAMES["marian"] + variant)


def test_the_card_has_facts_of_the_files_and_no_foreign_text(zoo: Any) -> None:
    registry, theirs = zoo
    card = registry.card(NAMES["bart"])
    assert (card.licence, card.languages) == ("apache-2.0", ("es", "fr"))
    assert card.architecture == "BART Transformer, 2 + 2 layers, 4 heads"
    assert card.parameters == theirs["bart"][1].num_parameters()
    assert card.bytes > 2 * card.parameters
    assert "huggingface.co/somebody/bart" in card.body
    assert "script" not in card.body
    assert registry.card(NAMES["nllb"]).summary.endswith("between any two of 2 languages.")


@pytest.mark.parametrize(
    "card", ["", "---\n- a\n---\n", "---\nlicense: [1]\nlanguage: 5\n---\n", "\x00", None]
)
def test_a_card_without_usable_metadata_is_tolerated(tmp_path: Path, card: str | None) -> None:
    save_repository(tmp_path / "it" / "transformers", "bart")
    (tmp_path / "it" / "transformers" / "README.md").unlink()
    if card is not None:
        (tmp_path / "it" / "README.md").write_text(card)
    adopt(tmp_path / "it")
    assert Registry(tmp_path).card("it").licence == "not stated"


def test_readable_texts_come_first_among_the_examples(tmp_path: Path) -> None:
    save_repository(tmp_path / "it" / "transformers", "bart")
    config = adopt(tmp_path / "it", examples=("The tower is tall.",))
    assert config.examples[0] == "The tower is tall."
    assert len(config.examples) > 1


@pytest.mark.parametrize(
    "settings",
    [
        {"length_penalty": 2.0, "early_stopping": True},
        {"num_beams": 4, "no_repeat_ngram_size": 3, "min_length": 5},
        {"temperature": 0.5, "top_k": 7},
    ],
)
def test_generation_settings_of_the_authors_do_not_prevent_adding_a_model(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    files = tmp_path / "it" / "transformers"
    save_repository(files, "bart")
    settings_of(files, "generation_config.json", **settings)
    adopt(tmp_path / "it")


def test_generation_settings_of_an_older_configuration_count(tmp_path: Path) -> None:
    """Older repositories have the generation settings in `config.json`."""
    files = tmp_path / "it" / "transformers"
    tokenizer, _ = save_repository(files, "bart")
    generation = json.loads((files / "generation_config.json").read_text())
    (files / "generation_config.json").unlink()
    ids = {key: value for key, value in generation.items() if key.endswith("_id")}
    end = tokenizer.eos_token_id
    older = {"bad_words_ids": [[7]], "forced_eos_token_id": end, "num_beams": 4, "length_penalty": 2.0}
    settings_of(files, **(ids | older))
    adopt(tmp_path / "it")
    result = Registry(tmp_path).tokenizer("it")
    assert (result.never_ids, result.forces_end, result.eos_id) == ((7,), True, end)
