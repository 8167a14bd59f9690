"""Explanations on trial: methods of attribution where it is known what an output hangs on."""
