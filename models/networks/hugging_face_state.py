"""The decoder state of a network of the transformers library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor

from models.networks.base import DecoderState, KeyValues, join_rows, newest, select_rows

if TYPE_CHECKING:  # an optional library, imported when one of its networks is used
    from transformers.cache_utils import EncoderDecoderCache


@dataclass(frozen=True)
class HuggingFaceState(DecoderState):
    """The source, keys and values as plain tensors, since the library's caches change when used."""

    memory: Tensor  # (R, S, D)
    mask: Tensor  # (R, S) bool
    target: KeyValues = ()  # 2L of (R, H, T, D/H): keys, values, keys, ...; none before the first step
    source: KeyValues = ()  # 2L of (R, H, S, D/H)

    def reorder(self, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> HuggingFaceState:
        target = select_rows(self.target, rows)
        if same_source:
            return self._with_target(target, len(rows))
        memory, mask = self.memory.index_select(0, rows), self.mask.index_select(0, rows)
        return HuggingFaceState(memory, mask, target, select_rows(self.source, rows))

    def newest(self) -> Tensor:
        return newest(self.target)

    def resume(self, newest: Sequence[Tensor], rows: Tensor) -> HuggingFaceState:
        """Return a later state; this one must have made a step, which projects the source."""
        return self._with_target(join_rows(newest, rows), rows.shape[1])

    def _with_target(self, target: KeyValues, rows: int) -> HuggingFaceState:
        if rows == len(self.memory):
            return HuggingFaceState(self.memory, self.mask, target, self.source)
        source = tuple([part[:rows] for part in self.source])
        return HuggingFaceState(self.memory[:rows], self.mask[:rows], target, source)

    def cache(self) -> EncoderDecoderCache:
        """Return these keys and values as a cache for one call of the library's decoder."""
        from transformers.cache_utils import DynamicCache, EncoderDecoderCache

        pairs = (tuple(zip(part[::2], part[1::2], strict=True)) for part in (self.target, self.source))
        return EncoderDecoderCache(*map(DynamicCache, pairs))

    def after(self, cache: Any) -> HuggingFaceState:
        """Return the state of the same source with the keys and values of a used cache."""
        target, source = (
            tuple(tensor for layer in part.layers for tensor in (layer.keys, layer.values))
            for part in (cache.self_attention_cache, cache.cross_attention_cache)
        )
        return HuggingFaceState(self.memory, self.mask, target, source)
