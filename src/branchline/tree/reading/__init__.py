"""How a fitted tree is read: words, rules, paths, reasons, tables."""
