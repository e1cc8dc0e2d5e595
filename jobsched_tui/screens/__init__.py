"""Screens and dialogs: which widgets stand where, and what a key asks the app to do."""
