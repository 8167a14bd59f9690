"""Why a network wrote a token: what its answer hangs on, by several methods, each with a check."""
