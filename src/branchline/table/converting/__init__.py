"""Cells written for people: money, percentages, dates, durations, yes and no, as columns."""
