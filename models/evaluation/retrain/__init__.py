"""The training pairs behind a wrong output, and experiments without them or with corrected ones."""
