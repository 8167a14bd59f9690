"""Terms about texts and tokens."""

from __future__ import annotations

from demo.i18n import later
from demo.widgets.glossary.terms.term import Marked, Term

TERMS = (
    Term(
        later("token|tokens"),
        later(
            "A piece of text that the model reads or writes in one go: a word, a part of one, or a "
            "sign. A model knows only the tokens of its vocabulary."
        ),
    ),
    Term(
        later("underscore mark|space mark"),
        later("The sign for the space before a word. A token without it continues the word before."),
        ("▁", "␣"),
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
        later("The token for what the tokenizer has never seen. The model cannot tell what was there."),
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
            "The list of all tokens that a model knows. At each step the model gives every one of "
            "them a probability."
        ),
    ),
    Term(
        later("tokenizer|tokenizers"),
        later(
            "The program that cuts a text into tokens and joins tokens into a text again. It is fixed "
            "before the model learns."
        ),
    ),
    Term(
        later("BPE|byte pair encoding|byte-pair encoding"),
        later(
            "A way to make tokens: it begins with single characters and joins the most frequent pair "
            "of neighbours, again and again. Frequent words become one token."
        ),
    ),
    Term(
        later("Unigram"),
        later(
            "A way to make tokens: it begins with many pieces and drops those that explain the texts "
            "least. The pieces that stay are the vocabulary."
        ),
    ),
    Term(
        later("WordPiece"),
        later("A way to make tokens, much like BPE. Pieces inside a word begin with two hash signs."),
    ),
    Term(
        later("source|source text"),
        later(
            "The text that goes in, to be translated or changed. The model reads all of it before it writes."
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
        later("A text by people that counts as right. Scores such as BLEU compare the output with it."),
    ),
    Term(
        later("paraphrase|paraphrases"),
        later(
            "The same meaning in other words. A score that counts shared words may give a right "
            "paraphrase little."
        ),
    ),
    Term(
        later("prefix|prefixes"),
        later("The beginning of an output: what has been written so far. The next token depends on it."),
    ),
    Term(
        later("n-gram|n-grams|bigram|bigrams|trigram|trigrams"),
        later(
            "A run of n neighbouring words, tokens or letters: two make a bigram, three a trigram. "
            "Scores and simple models count them."
        ),
    ),
    Term(
        later("merge|merges"),
        later(
            "One step of byte-pair encoding: a pair of neighbouring tokens becomes one token. Each "
            "merge adds a token to the vocabulary."
        ),
    ),
    Term(
        later("one-hot vector|one-hot"),
        later(
            "A list of numbers that are all 0 except for one 1. The place of the 1 says which token is meant."
        ),
    ),
    Term(
        later("vector|vectors"),
        later("A list of numbers. It has a length and a direction, so that two vectors can be compared."),
    ),
    Term(
        later("bag of words"),
        later(
            "A text without its order: only which words occur in it, and how often. The bags of "
            "“dog bites man” and “man bites dog” are equal."
        ),
    ),
    Term(
        later("skip-gram"),
        later(
            "A way to learn word vectors: from each word, the words around it are predicted. Training "
            "adjusts the vectors to predict better."
        ),
    ),
    Term(
        later("continuous bag of words"),
        later(
            "A way to learn word vectors: the word in the middle is predicted from the mean of the "
            "words around it. It is the counterpart of skip-gram."
        ),
        ("CBOW",),
    ),
)
