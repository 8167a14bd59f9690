"""Terms about texts and tokens."""

from __future__ import annotations

from demo.glossary.term import Marked, Term
from demo.i18n import later

TERMS = (
    Term(
        later("token|tokens"),
        later(
            "A piece of text that the model reads or writes in one go: a word, a part of one, or a "
            "sign. All it knows are the tokens of its list."
        ),
    ),
    Term(
        later("underscore mark|space mark"),
        later("It stands for the space before a word. A token without it continues the word before."),
        (
            "▁",
            "␣",
        ),
    ),
    Term(
        later("end token|end of the sentence"),
        later(
            "The token by which a model says that its output is complete. Until it comes, the model "
            "goes on writing."
        ),
        ("</s>",),
    ),
    Term(
        later("start token"),
        later("The token that every output begins from. It is given, not written."),
        ("<s>",),
    ),
    Term(
        later("unknown token|unknown character|unknown"),
        later("It stands for what the tokenizer has never seen. The model cannot tell what was there."),
        ("<unk>",),
    ),
    Term(
        later("padding"),
        later("Empty tokens that make texts of a batch equally long. The model is told to ignore them."),
        ("<pad>",),
    ),
    Term(
        later("vocabulary|vocabularies"),
        later(
            "The list of all tokens that a model knows. Each step it gives every one of them a probability."
        ),
    ),
    Term(
        later("tokenizer|tokenizers"),
        later(
            "It cuts a text into tokens and puts tokens together again. It is fixed before the model learns."
        ),
    ),
    Term(
        later("BPE|byte pair encoding"),
        later(
            "A way to make tokens: begin with letters, and join the pair that is met most often, "
            "again and again. Frequent words become one token."
        ),
    ),
    Term(
        later("Unigram"),
        later(
            "A way to make tokens: begin with many pieces, and drop those that explain texts least. "
            "What stays is the vocabulary."
        ),
    ),
    Term(
        later("WordPiece"),
        later("A way to make tokens, much like BPE. Pieces inside a word begin with two hash signs."),
    ),
    Term(
        later("source|source text"),
        later(
            "The text that goes in: what shall be translated or changed. The model reads all of it "
            "before it writes."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("output|outputs"),
        later(
            "The text that the model writes, one token after the other. It ends with the end token or "
            "at the length limit."
        ),
        marked=Marked.NOWHERE,
    ),
    Term(
        later("reference|references"),
        later("An output that people consider right. Scores such as BLEU compare with it."),
    ),
    Term(
        later("prefix|prefixes"),
        later("The beginning of an output: what has been written so far. The next token depends on it."),
    ),
    Term(
        later("n-gram|n-grams"),
        later("Some words or letters in a row, such as three. Scores and rules count them."),
    ),
)
