"""BLEU, chrF and exact match by sacrebleu, of a sentence or a corpus, with intervals. Imports no torch."""
