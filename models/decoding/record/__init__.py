"""What a search leaves behind: its steps as observed, and the recorder that makes the trace of them."""
