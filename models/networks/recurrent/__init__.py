"""Encoder and decoder of stacked recurrent cells: their configuration and their layers."""
