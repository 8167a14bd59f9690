"""Terms about networks."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

TERMS = (
    Term(
        later("model|models"),
        later(
            "A network with its learnt weights and its tokenizer. From a source and a prefix it "
            "computes the probabilities of the next token."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("encoder"),
        later("The part of a network that reads the source. It turns every token into a list of numbers."),
    ),
    Term(
        later("decoder"),
        later(
            "The part of a network that writes the output. It reads what was written so far and what "
            "the encoder made."
        ),
    ),
    Term(
        later("layer|layers"),
        later(
            "One stage of a network: it takes numbers and computes new ones. Deep networks stack many layers."
        ),
    ),
    Term(
        later("output layer"),
        later(
            "The last layer of a network, which gives every token of the vocabulary a logit. In some "
            "networks its table is that of the embeddings."
        ),
    ),
    Term(
        later("hidden state|hidden states|state"),
        later(
            "The numbers by which a network remembers what it has read or written. Nobody chose their "
            "meaning; the network learnt it."
        ),
    ),
    Term(
        later("embedding|embeddings"),
        later(
            "The list of numbers that stands for a token inside the network. Tokens that are used "
            "alike often get similar numbers."
        ),
    ),
    Term(
        later("Transformer"),
        later(
            "A network that lets every token look at every other by attention. Most translation "
            "systems of today are Transformers."
        ),
    ),
    Term(
        later("encoder-only|"),
        later(
            "Said of a Transformer that only reads: it has no decoder, and all its tokens see each "
            "other. BERT is one."
        ),
    ),
    Term(
        later("decoder-only|"),
        later(
            "Said of a Transformer that has no encoder: it continues a text, and each token sees only "
            "itself and those before it. GPT is one."
        ),
    ),
    Term(
        later("recurrent network|recurrent"),
        later(
            "A network that reads one token after the other and keeps a hidden state. At each step it "
            "computes the state from the token and the state before, always with the same weights."
        ),
        ("RNN",),
    ),
    Term(
        later("long short-term memory"),
        later(
            "A recurrent network with a second memory, the cell state. Three gates set how much of it "
            "is kept, how much is added and how much is shown."
        ),
        ("LSTM",),
    ),
    Term(
        later("gated recurrent unit"),
        later(
            "A recurrent network with two gates and no cell state. The update gate sets how much of "
            "the old state stays, the reset gate how much of it the new one reads."
        ),
        ("GRU",),
    ),
    Term(
        later("weights|parameters|parameter"),
        later("The numbers that a network has learnt, often millions. A checkpoint stores them."),
    ),
    Term(
        later("checkpoint|checkpoints"),
        later("A trained model as it was stored at some moment. It can be loaded and used at once."),
    ),
    Term(
        later("seq2seq|sequence-to-sequence"),
        later(
            "A model that reads one sequence and writes another, such as a translation. It has an "
            "encoder and a decoder."
        ),
    ),
    Term(
        later("word replaced|occlusion"),
        later(
            "A test in which the text is read again with another token in the place of one. The "
            "probability lost is one measure of how much the word was needed."
        ),
    ),
    Term(
        later("gradient × input"),
        later(
            "An estimate, from the slope alone, of how much a result would change if a word's vector "
            "shrank. Where the slope is flat, as in a sure answer, it says little."
        ),
    ),
    Term(
        later("integrated gradients"),
        later(
            "The sum of the slopes on the whole way from an empty text to this one. The parts of all "
            "words together are the whole change."
        ),
    ),
    Term(
        later("quantised|8 bits|quantisation"),
        later(
            "Stored with fewer bits for each weight, so that the model is smaller and faster. Its "
            "outputs may change a little."
        ),
    ),
    Term(
        later("hidden layer|hidden layers"),
        later(
            "A layer between the input and the output of a network. Unlike a hidden state, it remembers "
            "nothing from one step to the next."
        ),
    ),
    Term(
        later("cell state"),
        later(
            "The second memory of an LSTM, beside its hidden state. Gates decide what it keeps and "
            "what is added to it."
        ),
    ),
    Term(
        later("unrolling|unrolled network|unrolled drawing"),
        later("Drawing a recurrent network with one copy for each step. All copies share the same weights."),
    ),
    Term(
        later("bidirectional"),
        later(
            "Reading a text in both directions, from the left and from the right. An encoder can do "
            "so, because it has the whole source."
        ),
    ),
    Term(
        later("tensor|tensors"),
        later("An array of numbers with any number of dimensions. A vector has one dimension, a table two."),
    ),
    Term(
        later("convolutional network"),
        later(
            "A network that moves small filters over a picture. Here it turns the picture into a grid "
            "of vectors, one for each cell."
        ),
        ("CNN",),
    ),
    Term(
        later("hyperbolic tangent"),
        later(
            "A function that maps any number to one between −1 and 1. Around 0 it changes fast, far "
            "from 0 hardly at all."
        ),
        ("tanh",),
    ),
)
