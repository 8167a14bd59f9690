"""Terms on the page explain themselves, by hover, tap and keyboard; a list holds all of them."""
