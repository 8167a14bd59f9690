"""Terms about networks."""

from __future__ import annotations

from demo.glossary.term import Marked, Term
from demo.i18n import later

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
        later("The part of a network that reads the source. It makes a list of numbers of every token."),
    ),
    Term(
        later("decoder"),
        later(
            "The part of a network that writes the output. It sees what was written so far and what "
            "the encoder made."
        ),
    ),
    Term(
        later("attention|cross-attention"),
        later(
            "How much the model looks at each source token while it writes one. The weights of a row "
            "sum to 100%."
        ),
    ),
    Term(
        later("attention weight|attention weights"),
        later("How large a part of the answer one value is. All weights of a query sum to 1."),
    ),
    Term(
        later("kernel|kernel of attention"),
        later(
            "A curve that says how much a key counts at its distance from the query. Near keys count most."
        ),
    ),
    Term(
        later("attention head|head|heads"),
        later(
            "One of several attentions that work side by side in a layer. Each may look at something else."
        ),
    ),
    Term(
        later("layer|layers"),
        later(
            "One stage of a network: it takes numbers and makes new ones. Deep networks have many, "
            "one upon the other."
        ),
    ),
    Term(
        later("hidden state|hidden states|state"),
        later(
            "The numbers by which a network remembers what it has read or written. Nobody chose their "
            "meaning: it was learnt."
        ),
    ),
    Term(
        later("embedding|embeddings"),
        later(
            "The list of numbers that stands for a token inside the network. Tokens that are "
            "used alike often get similar numbers."
        ),
    ),
    Term(
        later("Transformer"),
        later(
            "A network that lets every token look at every other by attention. Most translators of "
            "today are one."
        ),
    ),
    Term(
        later("recurrent network|recurrent"),
        later(
            "A network that reads one token after the other and keeps a state. GRU and LSTM are kinds of it."
        ),
        (
            "GRU",
            "LSTM",
            "RNN",
        ),
    ),
    Term(
        later("weights|parameters|parameter"),
        later("The numbers that a network has learnt, often millions. They are what a checkpoint holds."),
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
        later("word taken out|occlusion"),
        later(
            "The text is read once more with another token in the place of one. What that "
            "costs in probability is one measure of how much the word was needed."
        ),
    ),
    Term(
        later("gradient × input"),
        later(
            "How much a result would change if a word's vector shrank, judged by the slope alone. Where the "
            "slope is flat, as in a sure answer, it says little."
        ),
    ),
    Term(
        later("integrated gradients"),
        later(
            "The slopes on the whole way from an empty text to this one, added up. The parts of all words "
            "together are the whole change."
        ),
    ),
    Term(
        later("quantised|8 bits|quantisation"),
        later(
            "Weights stored with fewer digits, so that the model is smaller and faster. Outputs may "
            "change a little."
        ),
    ),
)
