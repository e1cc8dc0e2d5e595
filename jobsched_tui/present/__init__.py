"""Values in words, columns and tones: pure functions. Knows no terminal, interprets no markup."""
