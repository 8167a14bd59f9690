"""Terms about training."""

from __future__ import annotations

from demo.glossary.term import Marked, Term
from demo.i18n import later

TERMS = (
    Term(
        later("training|train"),
        later(
            "Changing the weights little by little until the right outputs become more probable. It "
            "needs many examples."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("teacher forcing|teacher-forced"),
        later(
            "While it learns, the model is given the right tokens so far, not its own. So one mistake "
            "does not spoil the rest."
        ),
    ),
    Term(
        later("loss"),
        later("How surprised the model is by the right tokens, in nats a token. Training makes it smaller."),
    ),
    Term(
        later("epoch|epochs"),
        later("One pass through all training pairs. Several are needed."),
    ),
    Term(
        later("batch|batches"),
        later("Some examples that are computed together. It is faster than one by one."),
    ),
    Term(
        later("learning rate"),
        later(
            "How far the weights are moved at each training step. Too high and learning breaks, too "
            "low and it takes forever."
        ),
    ),
    Term(
        later("gradient|gradients|gradient norm"),
        later(
            "Which way numbers must move to change a result fastest, such as weights to lower the loss. Its "
            "norm says how steep it is."
        ),
    ),
    Term(
        later("clipping|"),
        later("Shortening a gradient that is too long. It keeps a single odd batch from doing harm."),
    ),
    Term(
        later("dropout|"),
        later(
            "While it learns, some numbers of the network are set to zero at random. So it does not "
            "rely on any single one."
        ),
    ),
    Term(
        later("label smoothing"),
        later(
            "The model is taught not to be 100% sure: a little probability goes to all other tokens. "
            "It often generalises better."
        ),
    ),
    Term(
        later("optimizer|optimiser"),
        later("The rule that turns gradients into new weights. Adam is the usual one."),
    ),
    Term(
        later("warm-up|warmup"),
        later(
            "The first training steps, in which the learning rate grows from zero. Big steps at the "
            "start would do harm."
        ),
    ),
    Term(
        later("validation"),
        later(
            "Examples that the model is not trained on. They show whether it has learnt or only memorised."
        ),
    ),
    Term(
        later("overfitting|overfit"),
        later(
            "The model knows its training examples by heart but fails on new ones. Its validation loss rises."
        ),
    ),
)
