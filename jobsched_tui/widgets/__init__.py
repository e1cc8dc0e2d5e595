"""What is drawn: each widget shows values that it is handed and posts what was asked of it."""
