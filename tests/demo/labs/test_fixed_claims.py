"""Sentences of labs that claim a cause, a trend or a comparison are held by facts or by a source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.learn.lessons.states import States
from demo.learn.lessons.terms import value_of
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.demo.i18n.keys import MARKS
from tests.demo.learn.lessons.claims import CLAIMING, QUOTED, REQUEST, split
from tests.source_modules import ROOT

LABS = Path(ROOT) / "demo" / "labs"
SCORES = "attention,shown:scores,score:dot,width:256"
BLEU = "bleu,reference:my sister lives in a small house near the sea,output:"
DOG = "positions,positions:none,text:the dog bites the man,mask:"
# Sentences about what the lab has just computed, or has not computed yet.
STATUS = (
    *("Not trained yet", "How often they are right", "No checkpoint for this", "No pair of neighbours"),
    *("On this pair it does no harm", "The held-out end of the text has no token"),
    "The whole reference is given",
    "WordPiece and Unigram need the app",  # of the page without a server
)


@dataclass(frozen=True)
class HeldByFacts:
    """Words of a lab's sentence, and conditions on the facts of settings of the lab."""

    words: str
    conditions: tuple[tuple[str, str], ...]  # (setting of the lab in a link, condition)


FACTS = (
    HeldByFacts("hardly any gradient is left", ((SCORES, "largest_weight > 0.99 and slope < 0.01"),)),
    HeldByFacts("into nearly all the weight", ((SCORES, "mean_largest > 0.85"),)),
    HeldByFacts(
        "may score less than nonsense",
        (
            (BLEU + "my sister has a little home by the sea", "bleu < 20"),
            (BLEU + "lives in a small house near the sea my sister", "bleu > 70"),
        ),
    ),
    HeldByFacts(
        "Free-running is worse",
        (("autoregression,signal:slow,noise:0.2,tau:10,k:64", "free_running_error > mean_error"),),
    ),
    HeldByFacts(
        "Free-running is still no worse",
        (("autoregression,signal:slow,noise:0,tau:10,k:64", "free_running_error <= mean_error"),),
    ),
    HeldByFacts("each word has the very same output", ((DOG + "encoder", "order_difference == 0"),)),
    HeldByFacts(
        "no token is near to it",
        (("lookup,checkpoint:reverse-gru,table:source,about:pad", "pad_length < 0.000001"),),
    ),
    HeldByFacts("attention does not know the order", ((DOG + "encoder", "order_difference == 0"),)),
    HeldByFacts(
        "later words change nothing before them",
        (("positions,mask:decoder,positions:sinusoidal,changed:4", "change_before == 0"),),
    ),
    HeldByFacts(
        "every word looks at every other",
        (("positions,mask:encoder,positions:sinusoidal,changed:4", "outputs_changed == outputs"),),
    ),
    HeldByFacts("need not fall steadily", (("positions,shown:encoding,width:32", "half_as_far < far"),)),
    HeldByFacts(
        "a position has 1 with itself", (("positions,shown:encoding,width:32", "near < 1 and far < 1"),)
    ),
    HeldByFacts(
        "so there is no answer", (("attention,query:2.8,kernel:boxcar,bandwidth:0.4", "weight_sum == 0"),)
    ),
)

# Words of the sentence, and the work or the definition that holds it.
GENERAL = {
    "and an error for any other": "Python: KeyError",
    "the answer lies between the smallest value": "A weighted mean with weights of at least 0 that sum to 1",
    "who chooses kernel and bandwidth": "Zhang et al., Dive into Deep Learning, section 11.2",
    "what belongs together comes to be near": "Zhang et al., Dive into Deep Learning, section 11.2",
    "no other key near enough to predict it": "The lab says so if a sum of weights without the key is 0",
    "because it has learnt to": "The lesson bottleneck expects attention(5,5) > 0.8",
    "the more attention is like a dictionary": "exp(−u² / 2h²) goes to 0 for every u above 0 as h goes to 0",
    "so the mixture is one vector too": "A weighted mean of vectors is a vector",
    "where it first sums the counts": "Papineni et al. (2002), section 2.1.1",
    "so its BLEU is 0": "A geometric mean with a factor of 0",
    "takes over the state, but no gradient": "By construction: the lab detaches the state between windows",
    "cut off at every step": "Zhang et al., Dive into Deep Learning, section 9.7",
    "every layer's h after the last step": "PyTorch, torch.nn.RNN, on its outputs",
    "may throw the weights far away": "Pascanu, Mikolov and Bengio (2013), section 2.3",
    "never shows a network its own mistakes": "Ranzato et al. (2016), section 1",
    "a right paraphrase also counts as wrong": "He et al. (2019), arXiv 1905.10617, section 1",
    "tokens are compared place by place": "By construction: the lab compares tokens at equal places",
    "neighbouring tokens depend on each other": "Wilson (1927): the interval holds for independent draws",
    "what comes after does not exist yet": "Devlin et al. (2019), section 1",
    "another text or more training gives other numbers": "Other data and seeds give other weights",
    "each with layers of its own": "Vaswani et al. (2017), section 3.1",
    "what the mask forbids is zero for any weights": "Vaswani et al. (2017), section 3.2.3",
    "it would see what it has to predict": "Devlin et al. (2019), section 1",
    "a word looks at itself and at earlier words only": "Vaswani et al. (2017), section 3.2.3",
    "depends on their distance alone": "sin a sin b + cos a cos b = cos(a − b)",
    "can learn to look a fixed number of words back": "Vaswani et al. (2017), section 3.5",
    "stands together in it, not what words mean": "Harris (1954): the vectors hold neighbours",
    "stands together here, not what words mean": "Harris (1954): the vectors hold neighbours",
    "Nothing is trained": "By construction: the vectors are counts",
    "runs for each pair of query and key": "Bahdanau, Cho and Bengio (2015), appendix A.1.2",
    "each decoder input is the reference's token": "Bengio et al. (2015), section 2.4",
    "Add something to each count": "Jurafsky and Martin, Speech and Language Processing, on smoothing",
    "Each position is a vector of sines": "Vaswani et al. (2017), section 3.5",
    "learn one for each position instead": "Devlin et al. (2019), section 3.2; Radford et al. (2019)",
}


def claims() -> Iterator[str]:
    """Claiming sentences of labs that are the same whatever their settings are."""
    for path in sorted(LABS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
                text = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
                yield from (sentence for sentence in split(str(text)) if _is_claim(sentence))


def _is_claim(sentence: str) -> bool:
    says_more = sentence.endswith(".") and "{" not in sentence and not sentence.startswith(STATUS)
    return says_more and not REQUEST.match(sentence) and CLAIMING.search(QUOTED.sub("", sentence)) is not None


def test_each_claim_of_a_lab_is_held() -> None:
    holding = [*GENERAL, *(item.words for item in FACTS)]
    assert [sentence for sentence in claims() if not any(words in sentence for words in holding)] == []


def test_every_fact_and_source_quotes_a_sentence_of_a_lab() -> None:
    sentences = [*claims()]
    holding = [*GENERAL, *(item.words for item in FACTS)]
    assert [words for words in holding if not any(words in sentence for sentence in sentences)] == []


@pytest.mark.slow
def test_the_facts_of_labs_hold_what_labs_say() -> None:
    states = States(AppContext(Registry(Path(ROOT) / "checkpoints"), "cpu"))
    false = [
        (item.words, condition)
        for item in FACTS
        for setting, condition in item.conditions
        if value_of(condition, states.state_of(f"tab=learn&lab={setting}")) is not True
    ]
    assert false == []
