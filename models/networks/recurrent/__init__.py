"""Encoder and decoder of stacked recurrent cells: how they are described, and their layers."""
