"""Bayesian networks: levels of a table, structure, parameters, exact inference, words, drawing."""
