"""Peers of our training loop: that of PyTorch's tutorial, and Hugging Face's `Seq2SeqTrainer`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer as Backend
from tokenizers.models import WordLevel
from torch import Tensor, nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, RandomSampler, TensorDataset
from transformers import (
    DataCollatorForSeq2Seq,
    MarianConfig,
    MarianMTModel,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    TrainerCallback,
)

from models.batch import Batch
from models.device import synchronize
from models.networks.transformer.config import TransformerConfig
from models.tokenization.tokenizer import Tokenizer

MAX_LENGTH, HIDDEN, TUTORIAL_BATCH = 10, 128, 32
IGNORED = -100  # the label of padding


class EncoderRNN(nn.Module):
    def __init__(self, input_size: int, hidden_size: int, dropout_p: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input: Tensor) -> tuple[Tensor, Tensor]:
        output, hidden = self.gru(self.dropout(self.embedding(input)))
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size: int, output_size: int, dropout_p: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs: Tensor, encoder_hidden: Tensor, target: Tensor) -> Tensor:
        hidden, outputs = encoder_hidden, []
        fed = torch.full((len(target), 1), Tokenizer.bos_id, device=target.device)
        for i in range(MAX_LENGTH):
            embedded = self.dropout(self.embedding(fed))
            context, _ = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
            output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
            outputs.append(self.out(output))
            fed = target[:, i].unsqueeze(1)  # teacher forcing
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1)


class Tutorial:
    """The loop of "NLP From Scratch: Translation with a Sequence to Sequence Network and Attention"."""

    def __init__(
        self,
        sources: Sequence[Sequence[int]],
        targets: Sequence[Sequence[int]],
        vocab_size: int,
        device: torch.device,
    ) -> None:
        data = TensorDataset(_padded(sources).to(device), _padded(targets).to(device))
        self.batches = DataLoader(data, sampler=RandomSampler(data), batch_size=TUTORIAL_BATCH)
        self.tokens = sum(len(target) for target in targets)
        self.encoder = EncoderRNN(vocab_size, HIDDEN).to(device)
        self.decoder = AttnDecoderRNN(HIDDEN, vocab_size).to(device)
        self.parameters = sum(p.numel() for m in (self.encoder, self.decoder) for p in m.parameters())
        self.optimizers = [optim.Adam(m.parameters(), lr=0.001) for m in (self.encoder, self.decoder)]
        self.criterion = nn.NLLLoss()

    def run(self) -> float:
        """Run the tutorial's `train_epoch` and return its seconds."""
        started, total_loss = time.perf_counter(), 0.0
        for source, target in self.batches:
            for optimizer in self.optimizers:
                optimizer.zero_grad()
            outputs, hidden = self.encoder(source)
            decoded = self.decoder(outputs, hidden, target)
            loss = self.criterion(decoded.view(-1, decoded.size(-1)), target.view(-1))
            loss.backward()
            for optimizer in self.optimizers:
                optimizer.step()
            total_loss += loss.item()
        return time.perf_counter() - started


def _padded(sequences: Sequence[Sequence[int]]) -> Tensor:
    ids = torch.zeros(len(sequences), MAX_LENGTH, dtype=torch.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence)
    return ids


@dataclass(frozen=True)
class TrainerSettings:
    """Settings that make `Seq2SeqTrainer` faster or slower."""

    bf16: bool
    attention: str
    collator: bool = False  # True: `DataCollatorForSeq2Seq` pads the batches; else they are padded in advance
    compiled: bool = False

    @property
    def title(self) -> str:
        """The settings in words."""
        padding, compiling = ", its collator" * self.collator, ", torch_compile" * self.compiled
        return f"{'bf16' if self.bf16 else 'fp32'}, {self.attention}{padding}{compiling}"


class HuggingFace:
    """`Seq2SeqTrainer.train` on a Marian with the shape of a Transformer, with the batches of our loop."""

    def __init__(
        self,
        shape: TransformerConfig,
        vocab_size: int,
        batches: Sequence[Batch],
        device: torch.device,
        settings: TrainerSettings,
    ) -> None:
        # Compiling takes two passes: shapes are taken for constants until there is a second one.
        first = [*batches, *batches] if settings.compiled else batches[:1]  # do not count
        self.settings = settings
        self.tokens = sum(int(batch.tgt_mask.sum()) for batch in batches)
        self.clock = _Clock(device, len(first))
        self.folder = tempfile.TemporaryDirectory()
        model = _marian(shape, vocab_size, settings.attention)
        as_items = _pairs if settings.collator else _inputs
        self.trainer = _OnGivenBatches(
            model=model,
            args=Seq2SeqTrainingArguments(
                self.folder.name,
                num_train_epochs=1,
                per_device_train_batch_size=1,  # each item of the data set is a whole batch
                bf16=settings.bf16,
                torch_compile=settings.compiled,
                use_cpu=device.type == "cpu",
                logging_strategy="no",
                save_strategy="no",
                report_to="none",
                disable_tqdm=True,
            ),
            data_collator=_collator(model) if settings.collator else None,
            train_dataset=[as_items(batch) for batch in (*first, *batches)],
            callbacks=[self.clock],
        )
        self.trainer.remove_callback(PrinterCallback)
        self.parameters = self.trainer.model.num_parameters()

    def run(self) -> float:
        """Train on all batches once and return the seconds of the steps."""
        self.trainer.train()
        # Otherwise each call would wrap the model in one more autocast.
        self.trainer.accelerator.unwrap_model(self.trainer.model, keep_fp32_wrapper=False)
        return self.clock.seconds


class _OnGivenBatches(Seq2SeqTrainer):
    """A trainer whose data set is one of whole batches, padded or not."""

    def get_train_dataloader(self) -> DataLoader:
        collator = self.data_collator if isinstance(self.data_collator, DataCollatorForSeq2Seq) else None
        return DataLoader(self.train_dataset, batch_size=None, collate_fn=collator)


class _Clock(TrainerCallback):
    """Seconds from the end of the first steps, which build the optimizer, to that of the last."""

    def __init__(self, device: torch.device, first: int) -> None:
        self.device, self.first, self.started, self.seconds = device, first, 0.0, 0.0

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == self.first:
            synchronize(self.device)
            self.started = time.perf_counter()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        synchronize(self.device)
        self.seconds = time.perf_counter() - self.started


def _inputs(batch: Batch) -> dict[str, Tensor]:
    labels = batch.tgt_out.masked_fill(~batch.tgt_mask, IGNORED)
    return {"input_ids": batch.src, "attention_mask": batch.src_mask.long(), "labels": labels}


def _pairs(batch: Batch) -> list[dict[str, list[int]]]:
    """The pairs of a batch without padding, for the collator."""
    sources = [ids[mask].tolist() for ids, mask in zip(batch.src, batch.src_mask, strict=True)]
    targets = [ids[mask].tolist() for ids, mask in zip(batch.tgt_out, batch.tgt_mask, strict=True)]
    return [{"input_ids": source, "labels": target} for source, target in zip(sources, targets, strict=True)]


def _collator(model: MarianMTModel) -> DataCollatorForSeq2Seq:
    """Hugging Face's padding of pairs, which asks a tokenizer for the padding's id."""
    words = Backend(WordLevel({"<pad>": Tokenizer.pad_id}, unk_token="<pad>"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>")
    return DataCollatorForSeq2Seq(tokenizer, model=model, label_pad_token_id=IGNORED)


def _marian(shape: TransformerConfig, vocab_size: int, attention: str) -> MarianMTModel:
    """Return a Marian with random weights and, to its advantage, no dropout of attention and hidden units."""
    config = MarianConfig(
        vocab_size=vocab_size,
        d_model=shape.d_model,
        encoder_layers=shape.num_layers,
        decoder_layers=shape.num_decoder_layers,
        encoder_attention_heads=shape.num_heads,
        decoder_attention_heads=shape.num_heads,
        encoder_ffn_dim=shape.d_ff,
        decoder_ffn_dim=shape.d_ff,
        activation_function=shape.activation,
        dropout=shape.dropout,
        scale_embedding=True,
        max_position_embeddings=shape.max_positions,
        pad_token_id=Tokenizer.pad_id,
        eos_token_id=Tokenizer.eos_id,
        bos_token_id=None,
        forced_eos_token_id=None,
        decoder_start_token_id=Tokenizer.bos_id,
        attn_implementation=attention,
    )
    return MarianMTModel(config)
