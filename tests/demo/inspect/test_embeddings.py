"""The map of embeddings, as the page shows it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from demo.work.context import AppContext
from tests.demo.inspect.view_requests import ask, decoded

GRU = "spa-eng-gru"
TEXT = "Me gusta el libro."


def traces(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Traces of the map: near, source, output, the reader's words."""
    result: list[dict[str, Any]] = answer["charts"][0]["data"]
    return result


def cosines(context: AppContext, name: str, token: int) -> torch.Tensor:
    model = context.checkpoint(name).model
    table = model.tgt_embedding.weight.detach().double()  # type: ignore[union-attr]
    return torch.nn.functional.cosine_similarity(table, table[token], dim=1)


@pytest.mark.slow
def test_neighbours_are_those_of_all_dimensions(context: AppContext) -> None:
    trace = decoded(context, GRU, TEXT)
    tokenizer = context.checkpoint(GRU).tokenizer
    book = tokenizer.token_id("▁libro")
    assert book is not None
    answer = ask(context, "embeddings", trace, 3, about=f"read:{book}", k=5)
    rows = answer["table"]["rows"]
    ranked = map(tokenizer.token, cosines(context, GRU, book).argsort(descending=True)[1:].tolist())
    words = [token for token in ranked if token.startswith("▁") and sum(map(str.isalpha, token)) > 1]
    assert [row[0].replace("␣", "▁") for row in rows] == words[:5]
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
    assert answer["sentences"][0].startswith(
        "Nearest to “␣libro”, with the cosine of the angle: “␣libros” (0."
    )
    assert "dimensions" in answer["sentences"][1]


def test_the_map_has_both_languages_and_the_typed_words(context: AppContext) -> None:
    trace = decoded(context, GRU, TEXT)
    answer = ask(context, "embeddings", trace, 0, words="casa house impossiblemente", form="words")
    near, source, output, typed = traces(answer)
    assert source["text"] == ["Me", "gusta", "el", "libro"]
    assert output["text"] == trace.hypotheses[0].text.rstrip(".").split()
    assert typed["text"] == ["casa", "house", "impossiblemen…"]
    assert len(near["text"]) > 0
    assert typed["customdata"][0] == ["choose", "about", "typed:casa"]
    clicked = ask(context, "embeddings", trace, 0, words="casa house", about="typed:casa")
    row = clicked["table"]["rows"][-1]
    tokenizer = context.checkpoint(GRU).tokenizer
    casa, house = (tokenizer.token_id(word) for word in ("▁casa", "▁house"))
    assert casa is not None
    assert house is not None
    assert row == ["house", pytest.approx(float(cosines(context, GRU, casa)[house]), abs=1e-6), "your word"]


@pytest.mark.slow
def test_a_click_chooses_a_neighbour(context: AppContext) -> None:
    trace = decoded(context, GRU, TEXT)
    near = traces(ask(context, "embeddings", trace, 1))[0]
    kind, name, key = near["customdata"][0]
    assert (kind, name) == ("choose", "about")
    answer = ask(context, "embeddings", trace, 1, about=key)
    control_about = next(control for control in answer["controls"] if control["name"] == "about")
    assert control_about["value"] == key
    assert near["text"][0].rstrip("…") in answer["sentences"][0]
    sizes = [size for trace in traces(answer) for size in trace["marker"]["size"]]
    assert sizes.count(max(sizes)) == 1


def test_the_bars_are_the_variance_of_the_components(context: AppContext) -> None:
    answer = ask(context, "embeddings", decoded(context, GRU, TEXT), 0, axes="1-3")
    (bars,) = answer["charts"][1]["data"]
    assert bars["y"] == sorted(bars["y"], reverse=True)
    assert 0 < sum(bars["y"]) < 1
    percentage = 100 * (bars["y"][0] + bars["y"][2])
    assert f"{percentage:.1f}%" in answer["sentences"][1]
    assert f"{100 * bars['y'][2]:.1f}%" in answer["charts"][0]["layout"]["yaxis"]["title"]["text"]


@pytest.mark.parametrize(
    ("name", "tables"), [(GRU, []), ("reverse-gru", ["target", "source"]), ("shapes-captioner", [])]
)
def test_two_embedding_tables_can_be_chosen(context: AppContext, name: str, tables: list[str]) -> None:
    trace = decoded(context, name)
    controls = {item["name"]: item for item in ask(context, "embeddings", trace, 0)["controls"]}
    assert [value for value, _ in controls.get("table", {}).get("options", [])] == tables
    for table in tables:
        _, source, output, _ = traces(ask(context, "embeddings", trace, 0, table=table))
        assert bool(source["x"]) == (table == "source")
        assert bool(output["x"]) == (table == "target")


@pytest.mark.parametrize("name", ["reverse-gru", "spa-eng-transformer"])
def test_pieces_and_letters_have_neighbours_among_all_tokens(context: AppContext, name: str) -> None:
    trace = decoded(context, name, "Me gusta el libro." if name.startswith("spa") else "")
    tokenizer = context.checkpoint(name).tokenizer
    piece = next(
        token
        for token in range(tokenizer.vocab_size)
        if token not in tokenizer.special_ids and not tokenizer.token(token).startswith("▁")
    )
    rows = ask(context, "embeddings", trace, 0, about=f"near:{piece}", k=30)["table"]["rows"]
    assert not all(row[0].startswith("␣") for row in rows)
    assert all(row[0] != tokenizer.token(piece) for row in rows)
