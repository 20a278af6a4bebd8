"""Optimal trees and rule lists: yes-no tests of a table, the exact search, and its proof."""
