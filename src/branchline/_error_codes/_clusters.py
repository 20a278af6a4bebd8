"""Clusters (P660 to P669, P720 and on, D660 and on, D710 and on, W052, W065 and on)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P660",
        "labels and rows that do not match",
        "There must be one cluster label for each row. Pass labels_ of a model that was fitted on "
        "the same rows, in the same order; two clusterings that are compared must have the same "
        "rows.",
    ),
    ErrorCode(
        "P661",
        "a silhouette of one cluster",
        "A silhouette compares the distance to a row's own cluster with that to the nearest other "
        "one, so there must be at least two clusters.",
    ),
    ErrorCode(
        "P662",
        "cluster labels that are missing or cannot be compared",
        "Each row needs a label: a number, a text or another value that can be sorted. Leave rows "
        "without a label out, or give them a label of their own, such as -1.",
    ),
    ErrorCode(
        "P663",
        "too many clusters to describe",
        "Each cluster is described by a rule that is tested in folds, so at most 100 clusters are "
        "described. Labels that differ in nearly every row are probably not clusters. Use fewer "
        "clusters, or describe a part of them.",
    ),
    ErrorCode(
        "P664",
        "clusters cannot be counted in a matrix of distances",
        "n_clusters='auto' compares the table with similar tables of one group. A matrix of "
        "distances does not tell how similar tables look. Give the table itself, or give a number "
        "of clusters.",
    ),
    ErrorCode(
        "P720",
        "a model that does not place rows in clusters",
        "Clusters are found again by fitting the same method on rows that are drawn again, and by "
        "placing all rows among the new clusters. So the model must be a fitted clustering with "
        "predict, such as KMeans, KMedoids, AgglomerativeClustering or Mixture.",
    ),
    ErrorCode(
        "P721",
        "a metric for a method that has its own",
        "k-means and mixtures compare rows in their own way. A metric can be chosen for kmedoids, "
        "agglomerative and divisive.",
    ),
    ErrorCode(
        "P722",
        "a known class with too many values",
        "A known class is compared with clusters by counting rows in each pair. A number or a name "
        "that differs in nearly every row has no classes. Leave such a column out instead "
        "(--drop).",
    ),
    ErrorCode(
        "P723",
        "a page in an unknown format",
        "A page about groups, axes, rules or a network is HTML or Markdown. Give a name that ends "
        "in .html or .md. For programs there are --json and Groups.to_dict().",
    ),
    ErrorCode(
        "D660",
        "a first batch with fewer different rows than clusters",
        "MiniBatchKMeans.partial_fit finds the centers that it begins with in the first batch, so "
        "this batch needs at least one different row for each cluster. Give a larger first batch, "
        "or ask for fewer clusters.",
    ),
    ErrorCode(
        "D710",
        "no column that rows can be compared by",
        "Groups are found among columns that describe rows. Identifiers, names and free text are "
        "set aside, and columns without any value are empty. Add columns that describe the rows, "
        "or keep a column that was set aside (--keep NAME).",
    ),
    ErrorCode(
        "D711",
        "no column that varies",
        "A heat map and blocks of rows and columns show how cells differ from the mean of their "
        "column. Here every column is constant or without any value.",
    ),
    ErrorCode(
        "W052",
        "one group",
        "With n_clusters='auto' the table is first compared with similar tables without groups. "
        "Its clusters are not tighter than theirs, so there is nothing to divide, and all rows are "
        "put into one cluster. Groups that are long or nested may be missed: Mixture or "
        "AgglomerativeClustering(linkage='single') may find them. A number of clusters can still "
        "be given.",
    ),
    ErrorCode(
        "W065",
        "columns that look as if they had been chosen with a known class",
        "Clusters of columns that were chosen with labels return the labels, also in noise "
        "(branchline reproduce labels-in-noise). Nearly all columns of this table are related to "
        "the known class just strongly enough to pass a test, which such a choice leaves behind. "
        "Agreement of clusters and classes then proves nothing. Give the table with all columns, "
        "or choose columns without the class.",
    ),
)
