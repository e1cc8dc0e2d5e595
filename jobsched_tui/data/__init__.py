"""Reading and deciding: everything the console shows, as values. Knows no terminal."""
