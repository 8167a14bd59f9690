"""The sentences of the library that a page shows, each with names for what the library fills in.

The library speaks English alone and knows no page. A sentence that is not here stays English.
"""

from __future__ import annotations

from demo.i18n import later

SENTENCES = (
    # What cannot be decoded so.
    later("There is no text to decode. Type a sentence first."),
    later("The text has {count} tokens; this model reads at most {limit}. Shorten it."),
    later("max_length must be between 1 and {limit} tokens; got {value}."),
    later("There is no token {token}: the vocabulary has ids 0 to {last}."),
    later("The forced tokens go on after the end token. Drop what follows it."),
    later("{count} tokens are forced, but the output may have {limit}. Raise the maximum length."),
    later("There is no token to force. Type a word, or a token as the tree spells it."),
    later("The vocabulary of this model lacks {words}. Type something else."),
    later("This model has no attention to replace. Choose another checkpoint."),
    later("An attention row needs one weight for each of the {count} source tokens; got {given}."),
    later("There is no step {step}: the output has at most {limit} tokens."),
    later("There is no text to score. Type a translation first."),
    later("The text to score has {count} tokens; this model writes at most {limit}. Shorten it."),
    later(
        "With {tokens} tokens and up to {steps} steps there are {size} sequences; exhaustive search "
        "looks at no more than {limit}. Lower the maximum length, force a longer prefix, or use exact"
        " search, which skips what cannot win."
    ),
    # Sources that are pictures.
    later("This checkpoint reads pictures, not texts. Pick or draw one."),
    later("The picture cannot be read: it is no base64. Pick or draw another."),
    later("The picture has {count} characters; at most {limit} are read."),
    later("The picture must have {side} x {other} pixels; it has {width} x {height}."),
    later("The picture cannot be read ({reason}). Pick or draw another."),
    # Who made the mistake.
    later("Agreement: the search wrote the reference, {measure} {value}."),
    later(
        "Agreement: the search wrote the text of the reference from other tokens, {measure} {value}; "
        "as the tokenizer cuts it, the text has {own}."
    ),
    later("No error: the model rates the reference and the output found alike, {measure} {value}."),
    later(
        "Search error: the model rates the reference {gap} higher ({measure} {own}) than the best "
        "output found ({found}), and the search missed it."
    ),
    later(
        "Model error: the model rates the output found {gap} higher ({measure} {found}) than the "
        "reference ({own}), so a better search would not write the reference either."
    ),
    later(
        "The vocabulary lacks {words}: the model rates “unknown” in its place, so its score of this "
        "reference is unfair."
    ),
    later("The output was cut off at the length limit: its score leaves out the end; it is too high."),
    later(
        "The search rated the same tokens differently: its attention was replaced, or it used another"
        " normaliser."
    ),
    # Checkpoints.
    later("There is no checkpoint {name}; {hint}"),
    later("{name} is not here, or not any more. Add it from the Hub, or choose another."),
    later("No such variant of {name}: {problem}"),
    later("Checkpoint {name}: {file} {problem}. {remedy}"),
    # Models of the Hub, and what is wrong with one.
    later("{model} is given only to accounts that accepted its terms: choose a model without such terms"),
    later(
        "there is no public model {model} on the Hub: check how its name is spelled, or make it "
        "public if it is yours"
    ),
    later("{model} has no such revision: leave the revision out, or copy a commit from its page"),
    later("{model} lacks a file that it listed: try again, or choose another revision"),
    later("{model} is no name that the Hub allows: write it as owner/name, as on its page"),
    later("the Hub asks to wait before {model} is fetched: try again in some minutes"),
    later("the Hub is out of order (error {status}), so {model} cannot be fetched: try again later"),
    later("the Hub refuses {model} (error {status}): check its name, or choose another model"),
    later("the disk is full, so {model} cannot be stored: remove a model, or free some space"),
    later(
        "{model} did not arrive from the Hub: check the connection and try again, or use a model that"
        " is here already"
    ),
    later("{file} of {model} arrived damaged and was deleted: try again"),
    later("{model} needs more memory than this machine has free: choose a smaller model"),
    later("{problem} ({needed} where {free} are free)"),
    later("{model} was cancelled: add it again whenever you like"),
    later("{name} is no name of a model on the Hub: write it as owner/name, as on its page"),
    later("{name} is no revision: write a branch, a tag or a commit, or leave it out"),
    later("this server fetches nothing from the Hub: choose one of its own models"),
    later(
        "this server fetches only the models that it lists, and {model} is not one of them: choose a "
        "listed one, or run the app yourself"
    ),
    later("{model} has no {file}, so it is no model that can be used here: {remedy}"),
    later("{model} wants to run code of its own, which is never run here: {remedy}"),
    later("{model} is no sequence-to-sequence model that reads and writes text: {remedy}"),
    later("{model} holds no tokenizer that can be read here: {remedy}"),
    later(
        "{model} holds no complete weights in {file} or {other}: choose a model that has them, or "
        "convert it with the transformers library"
    ),
    later("{file} of {model} holds more than weights, so it is not read: {remedy}"),
    later("{file} of {model} holds something else than weights: {remedy}"),
    later(
        "{model} has {size}, more than the {limit} that this server fetches: choose a smaller model, "
        "or raise UNROLLED_HUB_BYTES"
    ),
    later("{model} needs {needed} of disk where {free} are free: remove a model, or free some space"),
    later(
        "there is no room for {model}: all models together may take {limit}, and those in use leave "
        "too little; remove one, or try again in an hour"
    ),
    later("{model} cannot be used: its {file} {problem}; choose another model"),
    later("{model} is being added: cancel that, or try again later"),
    # Data, and runs.
    later("{name} is an Excel workbook or another Office file: save it as CSV"),
    later("{name} is a ZIP archive: unpack it first"),
    later("{name} holds zero bytes and is no text: save it as a text file in UTF-8"),
    later(
        "{name} is not UTF-8 (line {line}), and its encoding is not evident: choose it, or save the "
        "file as UTF-8"
    ),
    later(
        "{name} cannot be read as {encoding}: line {line} has bytes that mean nothing in it; choose "
        "another encoding, or save the file as UTF-8"
    ),
    later("{name} is empty: choose a file with a source and a target in each row"),
    later("{name} is of no kind that can be read: choose {kinds}, or .gz of these"),
    later("{name} has only one column as {format}: put source and target into two columns"),
    later("nothing is pasted: put a source and its target on each line, with a tab between"),
    later("source and target cannot be told apart: put a tab, or ||| or =>, between them on each line"),
    later("no row has a text in both {source} and {target}: choose other columns"),
    later("there is no column {name}: choose one of {columns}"),
    later(
        "pairs with {count} different sources cannot be split into training and validation: add pairs"
        " with other sources"
    ),
    later("This run has finished. Fine-tune its checkpoint to train it further."),
    later("This run is still under way."),
    later("This run is under way. Stop it first, then remove it."),
    later("There is no such run. It may have been removed to make room for newer ones."),
    later("There is no such run any more."),
    # What a training does, or why it ended.
    later("Getting ready."),
    later("Saving, then stopping."),
    later("Finished after {count} steps."),
    later("Stopped as asked; everything is saved, so it can go on."),
    later("Stopped while it waited for the device; resume to queue again."),
    later("This server gives a run {minutes} min, and they are over. Everything is saved."),
    later("Waiting for {others} to be done with the device."),
    later("Waiting for you to look: the GPU is lent to visitors whose page is open."),
    later("Waiting for the GPU."),
    later("Nobody looked at this run for a while, so it stopped; everything is saved, and resuming goes on."),
    later("The GPU lends you no more time for now ({reason}). Everything is saved; resume later."),
    later("The GPU was taken away {attempts} times before a step could be saved ({reason})."),
    later(
        "The process ended without a word: it was killed, perhaps for want of memory, or the machine "
        "went down. Resume to go on from the last saved step."
    ),
)
# What stands inside one of them: of a few fields the library makes words, not values.
PHRASES = (
    # Who made the mistake.
    later("log-probability"),
    later("score"),
    later("{words} and {count} more"),
    later("a piece of it"),
    # Checkpoints.
    later("did you mean {close}?"),
    later("there are: {names}."),
    later("there is no task {task}; there are: {tasks}."),
    later("there is no pair of languages {pair}. They are named as in {example}."),
    later("{pair}: {count} languages to write"),
    later("it has no variants; leave out {variant}."),
    later("cannot be read ({reason})"),
    later("cannot be used ({reason})"),
    later("needs a library ({reason})"),
    later("is a Git LFS pointer, not the file itself"),
    later("is truncated or corrupted"),
    later("is truncated or corrupted: its SHA-256 is not the one in {config} ({count} bytes)"),
    later("does not fit the network of {config} ({reason})"),
    later("has {count} tokens where {config} says {wanted}"),
    later("has no usable metadata ({reason})"),
    later("Restore it with `git checkout -- checkpoints/{folder}`, or copy the folder again."),
    later("Remove the model and add it again."),
    later("Install what it needs: `pip install -r requirements-hub.txt`."),
    later("Choose a model for text-to-text generation, such as Helsinki-NLP/opus-mt-en-de."),
    later("Run `git lfs pull`."),
    # Who has the device.
    later("another program"),
    later("1 other run"),
    later("{count} other runs"),
    # Models of the Hub, and what is wrong with one.
    later("{model} needs more memory than this machine has free: choose a smaller model"),
    later("choose one for text to text, such as Helsinki-NLP/opus-mt-en-de"),
    later("choose a model that has {file}, or convert it with the transformers library on its authors' side"),
)
