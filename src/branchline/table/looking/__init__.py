"""The readable summary of a table: facts about each column, what is suspicious, text and HTML."""
