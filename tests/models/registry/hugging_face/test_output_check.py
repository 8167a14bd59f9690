"""A network that looks broken gets a warning when it is added, and a sound one gets none."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.errors import Message
from models.registry.hugging_face.files import adopt
from models.registry.registry import Registry
from tests.fakes.hugging_face.folders import save_repository, settings_of, weights_of

pytestmark = pytest.mark.slow

PAD, END, OTHER = 1, 2, 7
LIKELY, UNLIKELY = 30.0, -30.0
CASES: dict[str, tuple[dict[int, float], set[str]]] = {
    "sound": ({END: LIKELY}, set()),
    "repeats": ({OTHER: LIKELY}, {"repeats_one_token", "end_never_likely"}),
    "never ends": ({END: UNLIKELY}, {"end_never_likely"}),
    "writes padding": ({PAD: LIKELY, END: LIKELY - 5}, {"padding_likely"}),
}


def warnings_of(folder: Path, bias: dict[int, float], **generation: object) -> list[Message]:
    files = folder / "it" / "transformers"
    _, model = save_repository(files, "bart")
    biases = model.final_logits_bias.clone()
    for token, value in bias.items():
        biases[0, token] = value
    weights_of(files, lambda weights: weights | {"final_logits_bias": biases})
    settings_of(files, "generation_config.json", **generation)
    network = adopt(folder / "it", "someone/it").network
    return [Message.from_dict(warning) for warning in network["warnings"]]


@pytest.mark.parametrize("case", CASES)
def test_a_warning_names_what_looks_broken(case: str, tmp_path: Path) -> None:
    bias, codes = CASES[case]
    result = {message.code: message for message in warnings_of(tmp_path, bias)}
    assert result.keys() - {"repeats_one_token"} == codes - {"repeats_one_token"}
    assert result.keys() >= codes
    if case == "repeats":
        fields = result["repeats_one_token"].fields
        assert fields["count"] == 39, "of 40, as the last is the end"
        assert fields["token"] == Registry(tmp_path).tokenizer("it").token(OTHER)


def test_padding_that_its_authors_forbid_is_no_fault(tmp_path: Path) -> None:
    """The padding of every Marian takes a share of the probability."""
    assert warnings_of(tmp_path, CASES["writes padding"][0], bad_words_ids=[[PAD]]) == []
