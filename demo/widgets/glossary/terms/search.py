"""Terms about the search for an output."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

TERMS = (
    Term(
        later("decoding|decode"),
        later("Turning a model's probabilities into a text, token by token. There are many ways to choose."),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("step|steps"),
        later("One round in which the next token is chosen. An output of six tokens took six steps."),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("search|searches"),
        later(
            "The procedure that looks for a good output among all that the model could write. It can "
            "look at only a few of them."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("path|paths"),
        later(
            "One way through the search tree, token after token. A hypothesis is a path that came to an end."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("what if"),
        later(
            "An experiment: you change one decision and see how the model goes on. The earlier result "
            "stays beside it."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("strategy|strategies"),
        later("The rule by which a search chooses tokens. The model stays the same, the output may differ."),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("greedy|greedy search|greedy decoding"),
        later(
            "A search that always takes the most probable next token. It is fast, but it can never "
            "take back an early choice."
        ),
    ),
    Term(
        later("beam search|beam|beams|beam size"),
        later(
            "A search that follows the best few beginnings side by side instead of one. A beam of 4 "
            "keeps four at every step."
        ),
    ),
    Term(
        later("hypothesis|hypotheses"),
        later("A whole output that the search has found. Hypotheses are ranked by score."),
    ),
    Term(
        later("candidate|candidates"),
        later(
            "A prefix with one more token, which the search keeps or drops. Each step compares many of them."
        ),
    ),
    Term(
        later("pruned|prune|pruning"),
        later(
            "Dropped by the search, which does not extend it. Usually there were enough better candidates."
        ),
    ),
    Term(
        later("kept|"),
        later("Among the best of its step, so the search goes on from it. It may still lose later."),
        marked=Marked.ALONE,
    ),
    Term(
        later("finished|"),
        later("Ended with the end token or at the length limit. It is a whole output now."),
        marked=Marked.ALONE,
    ),
    Term(
        later("race"),
        later(
            "The most probable beginnings at every step, side by side. Where two lines cross, one "
            "beginning overtakes another."
        ),
    ),
    Term(
        later("edit|edits"),
        later(
            "A change that you impose on the model, such as a token. The model then decodes again under "
            "that condition."
        ),
        marked=Marked.ALONE,
    ),
    Term(
        later("rank|ranks|ranking"),
        later("The position in an order, 1 for the best. The order is by probability, score or agreement."),
    ),
    Term(
        later("length penalty"),
        later(
            "The strength with which the ranking favours longer outputs. At 0 only the "
            "log-probability counts."
        ),
        ("α", "alpha"),
    ),
    Term(
        later("normalised score|normaliser|length normalisation|normalised"),
        later(
            "A log-probability divided by a normaliser: the length, or a function of it, to the power "
            "alpha. It makes up for the lower log-probability of long outputs."
        ),
    ),
    Term(
        later("GNMT"),
        later(
            "A normaliser from Google's translation system of 2016: ((5 + length) / 6) to the power "
            "alpha. For short outputs it is gentler than the length itself."
        ),
    ),
    Term(
        later("early stopping"),
        later(
            "The rule by which a beam ends before the length limit. Some rules ask for more proof "
            "than others."
        ),
    ),
    Term(
        later("length limit|maximum length"),
        later("The most tokens that an output may have. What reaches it is cut off."),
    ),
    Term(
        later("diverse beam|diverse|diverse beam search"),
        later(
            "A beam search in groups: a group pays a penalty for choosing what an earlier group "
            "chose. So the outputs differ more."
        ),
    ),
    Term(
        later("exact search|branch and bound"),
        later(
            "A search that proves its result: it leaves out only what cannot win any more. It can "
            "take very long."
        ),
    ),
    Term(
        later("exhaustive search|exhaustive"),
        later("A search that scores every output up to a length. It is possible for tiny models only."),
    ),
    Term(
        later("stochastic beam"),
        later(
            "A beam that draws at random without taking the same output twice. Random numbers are "
            "added to the scores."
        ),
    ),
    Term(
        later("search tree|tree"),
        later("All beginnings that the search met, drawn as branches. Each node is one candidate."),
    ),
    Term(
        later("search error|search errors"),
        later(
            "A failure of the search: the model would have preferred another output, which the search "
            "did not find. A wider search can fix it."
        ),
    ),
    Term(
        later("model error|model errors"),
        later(
            "A failure of the model: it gives the wrong output a higher probability than the right one. No "
            "search can fix it."
        ),
    ),
    Term(
        later("force|forced|forcing"),
        later("A token that you chose in the model's place. The model then goes on from it."),
    ),
    Term(
        later("constraint|constraints"),
        later(
            "A rule that every output must obey, such as a least length. It forbids tokens, whatever "
            "their probability."
        ),
    ),
    Term(
        later("repetition penalty"),
        later(
            "A penalty on tokens that were already written, which makes them less probable. It keeps "
            "the model from repeating itself."
        ),
    ),
    Term(
        later("winner"),
        later("The output that the search ranks first. Another one may be better, or even more probable."),
        marked=Marked.NOWHERE,
    ),
)
