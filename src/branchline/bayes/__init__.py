"""Naive Bayes: classes from columns that are looked at one by one."""

from branchline.bayes._naive_bayes import NaiveBayes

__all__ = ["NaiveBayes"]
