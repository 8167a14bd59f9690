"""Networks that fulfil the contract of `base.Seq2SeqModel`."""
