"""The library's messages in the language of the request, complete and by their parts."""

from __future__ import annotations

import pytest

from demo.i18n import in_language, message_text, translations
from demo.work.errors import safe_text, sentence
from demo.work.requests.checks import RequestError, check_short_text
from models.corpus.files.table import RowCollector
from models.corpus.generated.all_tasks import GENERATED
from models.corpus.pairs import DataError
from models.decoding.judge.verdict import ScoredText, ScoredToken, verdict
from models.decoding.trace import NextToken
from models.errors import Message, hint, in_quotes, not_one_of
from models.hub.errors import unreachable
from models.hub.listing.repository import check_repo_id
from models.registry.card import CheckpointError, restore, unreadable
from models.training.events import Notice
from models.training.recipe.config import TrainingConfig
from models.training.runs.request import RunStatus, finished_sentence
from tests.messages import messages
from tests.refusals import refused
from tests.source_modules import sources


@pytest.mark.slow
@pytest.mark.parametrize("code", ["es", "zh"])
def test_each_message_is_translated_by_its_template(code: str) -> None:
    translated = translations(code)
    for source in (message for module in sources("models") for message in messages(module)):
        if source.template in translated:
            values = {name: f"«{name} 1»" for name in source.fields}
            message = Message(source.code, source.template, **values)
            with in_language(code):
                sentence = message_text(message)
            assert sentence == (
                translated[source.template].format(**values) if values else translated[source.template]
            )


def test_parts_of_a_message_are_translated_and_a_visitors_words_are_not() -> None:
    with in_language("es"):
        for name in ("score", "there are: x.", "{0}", "Greedy"):
            error = DataError(
                "no_such_checkpoint",
                "There is no checkpoint {name}; {hint}",
                name=name,
                hint=hint("x", ("y",)),
            )
            assert message_text(error) == f"No hay ningún checkpoint {name}; hay: y."
        assert message_text("Greedy") == "Greedy"
        assert (
            message_text(Message("unheard", "Nobody wrote this: {x}.", x="{y}")) == "Nobody wrote this: {y}."
        )


def test_the_error_of_a_damaged_checkpoint_is_translated_with_its_parts() -> None:
    error = CheckpointError("tiny", "config.json", unreadable("No such file"), restore("tiny"))
    with in_language("es"):
        assert sentence(error) == (
            "Checkpoint 'tiny': config.json no se puede leer (No such file). Restáurelo con "
            "`git checkout -- checkpoints/tiny`, o copie la carpeta de nuevo."
        )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("en", "This server has no room."),
        (
            "es",
            "a/b no llegó del Hub: compruebe la conexión e inténtelo de nuevo, o use un modelo que ya esté "
            "aquí.",
        ),
        ("zh", "未能从 Hub 取得 a/b：请检查网络后重试，或使用已有的模型。"),
    ],
)
def test_a_message_becomes_a_sentence_in_each_language(code: str, expected: str) -> None:
    with in_language(code):
        message = Message("no_room_here", "this server has no room") if code == "en" else unreachable("a/b")
        assert sentence(message) == expected


def test_a_name_at_the_start_keeps_its_spelling_and_a_word_does_not() -> None:
    assert sentence(not_one_of("kind", ("a",), "b")) == "kind must be one of a; got 'b'."
    part = Message("the_source", "the source")
    assert sentence(Message("part_empty", "{part} is empty", part=part)) == "The source is empty."
    assert sentence("data.csv is empty") == "data.csv is empty."
    assert sentence("there is nothing") == "There is nothing."
    with in_language("zh"):
        assert sentence(not_one_of("kind", ("a",), "b")) == "kind须为 a 之一；收到的是 'b'。"


def test_the_refusal_of_an_argument_is_translated_with_its_name() -> None:
    with in_language("es"):
        with pytest.raises(RequestError) as excinfo:
            check_short_text("text", 3, 10)
        assert sentence(excinfo.value) == "texto debe ser un texto; se recibió 3."
        assert sentence(RequestError("Elija otro.")) == "Elija otro."
    assert safe_text("<b>&") == "‹b›＆"


def test_labels_and_malformed_rows_within_a_message_are_translated() -> None:
    with pytest.raises(DataError) as excinfo:
        GENERATED["dates"].check({"first_year": 3})
    with in_language("es"):
        assert sentence(excinfo.value).startswith("«Primer año» debe ser un número entero de 1000 a 9999")
    collector = RowCollector()
    collector.reject(4, Message("no_json", "no valid JSON"), "x")
    with pytest.raises(DataError) as excinfo, in_language("zh"):
        collector.table("score.jsonl", "JSON Lines", "UTF-8", [])
    with in_language("zh"):
        assert "score.jsonl 中没有可按 JSON Lines 读取的行；第 4 行：无效的 JSON" in sentence(excinfo.value)


def test_an_invalid_recipe_is_refused_in_the_language_of_the_page() -> None:
    with refused(ValueError, "not_a_number_within", "save_every", "above", 0, "0") as excinfo:
        TrainingConfig(name="x", save_every=0)
    with in_language("es"):
        assert sentence(excinfo.value) == "save_every debe ser un número mayor que 0; se recibió 0."  # type: ignore[arg-type]


def test_the_status_of_a_run_is_translated_if_it_is_a_message() -> None:
    read = RunStatus.from_json(
        RunStatus(state=_finished().state, heartbeat=0, message=finished_sentence(1200)).to_json()
    )
    older = RunStatus.from_json('{"state": "finished", "heartbeat": 0, "message": "Finished after 3 steps."}')
    with in_language("es"):
        assert message_text(read.message) == "Terminada tras 1,200 pasos."
        assert message_text(older.message) == "Finished after 3 steps."
        assert message_text(Notice(1, "x").text) == "x"


def _finished() -> RunStatus:
    return RunStatus.from_json('{"state": "finished", "heartbeat": 0}')


def test_the_refusal_of_a_repository_name_is_translated() -> None:
    with refused(Exception, "no_model_name") as excinfo:
        check_repo_id("a b")
    with in_language("es"):
        assert sentence(excinfo.value).startswith("'a b' no es el nombre de un modelo")  # type: ignore[arg-type]


def test_the_verdict_is_translated_at_full_length() -> None:
    def scored(text: str, log_prob: float) -> ScoredText:
        token = ScoredToken(len(text), text, log_prob, 0, False, 0.1, NextToken(6, "x", -3.0))
        return ScoredText(text, (token,), log_prob, log_prob)

    result = verdict(scored("hola", -2.0), scored("adiós", -1.0))
    with in_language("es"):
        assert message_text(result.explanation) == (
            "Error del modelo si la referencia es correcta: el modelo valora la salida de la búsqueda "
            "1.00 nats más (log-probabilidad −1.00) que la referencia (−2.00), así que una búsqueda mejor "
            "tampoco encontraría la referencia."
        )


def test_quoted_words_have_the_quotation_marks_of_the_language() -> None:
    lacking = Message("source_unknown", "The vocabulary lacks {words}.", words=in_quotes(["a", "b", "c"]))
    assert lacking == "The vocabulary lacks “a”, “b”, “c”."
    for code, words in (("es", "«a», «b», «c»"), ("zh", "“a”、“b”、“c”")):
        with in_language(code):
            assert words in message_text(Message.from_dict(lacking.to_dict()))
    assert in_quotes([]) == ""
    assert in_quotes(["a"] * 1_000, 2) == "“a”, “a” and 998 more"
