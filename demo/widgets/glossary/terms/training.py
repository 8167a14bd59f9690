"""Terms about training."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

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
            "A way to train: the model reads the right tokens so far instead of its own. So one "
            "mistake does not spoil the rest."
        ),
    ),
    Term(
        later("loss"),
        later(
            "A number that says how improbable the model finds the right tokens, in nats per token. "
            "Training makes it smaller."
        ),
    ),
    Term(
        later("epoch|epochs"),
        later("One pass through all training pairs. Several are needed."),
    ),
    Term(
        later("batch|batches"),
        later("A number of examples that are computed together. This is faster than one by one."),
    ),
    Term(
        later("learning rate"),
        later(
            "A number that sets how far each training step moves the weights. If it is too high, "
            "learning fails; if it is too low, learning takes very long."
        ),
    ),
    Term(
        later("gradient|gradients|gradient norm"),
        later(
            "A list of slopes: for each number, such as a weight, how fast a result, such as the "
            "loss, rises when that number grows a little. Its norm is the length of this list."
        ),
    ),
    Term(
        later("gradient descent"),
        later(
            "A way to train: each step subtracts from every weight the learning rate times its "
            "gradient. If the step is small enough, the loss falls."
        ),
    ),
    Term(
        later("clipping|"),
        later("The shortening of a gradient that is too long. It keeps a single odd batch from doing harm."),
    ),
    Term(
        later("dropout|"),
        later(
            "A way to train: some numbers of the network are set to zero at random. So the network "
            "does not rely on any single one."
        ),
    ),
    Term(
        later("label smoothing"),
        later(
            "A way to train: the model learns not to be 100% sure, and a little probability goes to "
            "all other tokens. It often generalises better."
        ),
    ),
    Term(
        later("optimizer|optimiser"),
        later(
            "The rule that turns gradients into new weights. Plain gradient descent is the simplest, "
            "Adam the usual one."
        ),
    ),
    Term(
        later("Adam"),
        later(
            "An optimizer that gives each weight its own step size, from running means of its "
            "gradients and of their squares. AdamW also shrinks the weights a little at each step."
        ),
        ("AdamW",),
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
        later("held out|held-out"),
        later(
            "Kept out of training. What is held out shows how a model does on examples that it has not seen."
        ),
    ),
    Term(
        later("overfitting|overfit"),
        later(
            "The failure of a model that knows its training examples by heart but not new ones. Its "
            "validation loss rises."
        ),
    ),
    Term(
        later("free-running|free running"),
        later(
            "Reading its own output, as a model does when it is used. In teacher forcing it reads the "
            "right tokens instead."
        ),
    ),
    Term(
        later("exposure bias"),
        later(
            "The mismatch between training, where a model reads the right tokens, and use, where it reads "
            "its own. How much it hurts is disputed."
        ),
    ),
    Term(
        later("scheduled sampling"),
        later(
            "A way to train that mixes teacher forcing with the model's own tokens. Their share grows "
            "as training goes on."
        ),
    ),
    Term(
        later("backpropagation"),
        later(
            "The computation of the gradient from the loss back through the network, layer by layer. "
            "Training needs it for each update."
        ),
    ),
    Term(
        later("backpropagation through time"),
        later(
            "Backpropagation through an unrolled recurrent network, from the last step to the first. "
            "A shared weight gets the sum of the gradients of all steps."
        ),
        ("BPTT",),
    ),
    Term(
        later("truncation|randomised truncation"),
        later(
            "Cutting off backpropagation through time after some steps, which saves work. Randomised "
            "truncation cuts at random and keeps the gradient right on average."
        ),
    ),
    Term(
        later("vanishing gradient|vanishing gradients"),
        later(
            "A gradient that shrinks towards 0 on its way back through many steps. From it a network "
            "learns hardly anything about what lies far back."
        ),
    ),
    Term(
        later("exploding gradient|exploding gradients"),
        later(
            "A gradient that grows very large on its way back through many steps. Clipping limits its length."
        ),
    ),
    Term(
        later("fine-tuning|fine-tune|fine-tunes|fine-tuned"),
        later(
            "Training that goes on from a trained model, with other examples. It can do with fewer "
            "examples than training from the start."
        ),
    ),
)
