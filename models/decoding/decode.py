"""The entry point of applications: decode a text into a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from models.decoding.interventions import Intervention, attention_overrides, check_forced, with_opening
from models.decoding.limits import check_max_length, check_source
from models.decoding.options import DecodingOptions
from models.decoding.record.recorded_settings import greedy_output, settings_for_trace
from models.decoding.record.recorder import OnStep
from models.decoding.request import SearchRequest, constraints_of, words_of
from models.decoding.status import Stop
from models.decoding.strategies import description_of
from models.decoding.trace import DecodingTrace, GreedyOutput, OutputWithoutWords, Token
from models.networks.base import Seq2SeqModel
from models.tokenization.tokenizer import Encoding, Tokenizer

NO_INTERVENTION = Intervention()


def decode(
    model: Seq2SeqModel,
    tokenizer: Tokenizer,
    text: str,
    options: DecodingOptions,
    *,
    language: str = "",
    intervention: Intervention = NO_INTERVENTION,
    on_step: OnStep = lambda step: None,
) -> DecodingTrace:
    """Decode one text into a trace. Raises DecodingError if the text or the options do not fit the model.

    `language` is that of the outputs (BCP 47), for strategies that compare them. `on_step` receives each
    step; if it returns a reason to stop, the search ends with the sequences finished so far. The same
    arguments give the same trace. The trace has no `checkpoint` and no `task`; the caller fills them in.
    """
    encoding = check_source(model, tokenizer, text)
    check_max_length(model, options.max_length)
    forced = with_opening(intervention.forced, tokenizer)
    check_forced(forced, model, tokenizer, options.max_length)
    overrides = attention_overrides(intervention.overrides, model, len(encoding.tokens), options.max_length)
    strategy = options.build_strategy(language)
    strategy.check(model.vocab_size, options.max_length - len(forced))
    constraints, words = constraints_of(options, tokenizer), words_of(options, tokenizer)
    request = SearchRequest(model, tokenizer, options, constraints, forced, overrides, words)
    recording = request.record(encoding.ids, strategy, on_step)
    hypotheses, utilities = strategy.rerank(recording.hypotheses)
    if words is not None:
        hypotheses = tuple(
            replace(hypothesis, word_steps=words.word_ends(hypothesis.token_ids)) for hypothesis in hypotheses
        )
    return DecodingTrace(
        checkpoint="",
        source_text=encoding.text,
        source=source_tokens(encoding, tokenizer.unk_id),
        strategy=strategy.name,
        settings=settings_for_trace(options),
        steps=recording.steps,
        hypotheses=hypotheses,
        forced=forced if forced != tokenizer.first_ids else (),
        opening=len(tokenizer.first_ids),
        overrides=intervention.overrides,
        exploration=recording.exploration,
        utilities=utilities,
        words=words.typed if words else (),
    )


def decode_with_and_without_words(
    search: Callable[[DecodingOptions], DecodingTrace], options: DecodingOptions
) -> DecodingTrace:
    """Search; if words are required, search again without them, and add the best output to the trace.

    `search` is `decode` for one text, with all of its arguments but the options.
    """
    trace = search(options)
    if not trace.words or not trace.hypotheses or description_of(trace.strategy).draws or not _is_over(trace):
        return trace
    other = search(replace(options, must_contain=""))
    if not other.hypotheses or not _is_over(other):
        return trace
    best = other.hypotheses[0]
    return replace(
        trace, without_words=OutputWithoutWords(best.text, best.token_ids, best.log_prob, best.score)
    )


def decode_beside_greedy(
    search: Callable[[DecodingOptions], DecodingTrace], options: DecodingOptions
) -> DecodingTrace:
    """Search as `decode_with_and_without_words` does, and let the trace know the output of greedy search.

    Greedy search runs only if its output is not among the hypotheses, as it often is.
    """
    trace = decode_with_and_without_words(search, options)
    knows_greedy = trace.strategy == "greedy" or greedy_output(trace) is not None
    if knows_greedy or options.must_contain or not _is_over(trace):  # greedy search takes no required words
        return trace
    greedy = search(replace(options, strategy="greedy"))
    if not greedy.hypotheses or not _is_over(greedy):
        return trace
    best = greedy.hypotheses[0]
    return replace(trace, greedy=GreedyOutput(best.text, best.token_ids))


def _is_over(trace: DecodingTrace) -> bool:
    return trace.exploration is not None and trace.exploration.stop is Stop.COMPLETE


def source_tokens(encoding: Encoding, unk_id: int) -> tuple[Token, ...]:
    """Return the tokens of an encoding for a trace or a page."""
    # The cells of a picture have numbers, since they are not in the vocabulary.
    ids = encoding.ids if len(encoding.ids) == len(encoding.tokens) else range(len(encoding.tokens))
    is_text = ids is encoding.ids
    return tuple(
        Token(token_id, surface, is_text and token_id == unk_id, start, end)
        for token_id, surface, (start, end) in zip(ids, encoding.tokens, encoding.offsets, strict=True)
    )
