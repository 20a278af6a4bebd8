# rpart on the folds of one data set; _rpart.py runs this file.
#
#   Rscript _rpart.R version
#   Rscript _rpart.R (default|1se) DATA.csv ROWS.txt SEED
#
# DATA.csv: numbers as they are, categories as c00000, ..., empty for missing, the class is y.
# ROWS.txt: one line a fold, the test rows, from 0. Prints a line a fold: errors, leaves, seconds.
library(rpart)

# A user's call: cp = 0.01, minsplit = 20, 10-fold cross-validation for the table of cp.
fit_default <- function(train) rpart(y ~ ., data = train, method = "class")

# Grown in full, then the smallest tree within one standard error of the best cross-validated one.
fit_1se <- function(train) {
  grown <- rpart(y ~ ., data = train, method = "class", cp = 0, minsplit = 2)
  steps <- grown$cptable
  if (nrow(steps) == 1) return(grown)
  best <- which.min(steps[, "xerror"])
  chosen <- which(steps[, "xerror"] <= steps[best, "xerror"] + steps[best, "xstd"])[1]
  prune(grown, cp = steps[chosen, "CP"])
}

run_folds <- function(fit, data, rows_of_folds, seed) {
  for (fold in seq_along(rows_of_folds)) {
    test <- as.integer(strsplit(rows_of_folds[fold], " ")[[1]]) + 1L
    set.seed(seed + fold)
    train <- data[-test, ]
    seconds <- system.time(tree <- fit(train))[["elapsed"]]
    predicted <- predict(tree, data[test, ], type = "class")
    wrong <- sum(as.character(predicted) != as.character(data$y[test]))
    cat(wrong, sum(tree$frame$var == "<leaf>"), seconds, "\n")
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
if (arguments[1] == "version") {
  cat("rpart", format(packageVersion("rpart")), "on", R.version.string, "\n")
} else {
  fits <- list("default" = fit_default, "1se" = fit_1se)
  data <- read.csv(arguments[2], na.strings = "", stringsAsFactors = TRUE)
  run_folds(fits[[arguments[1]]], data, readLines(arguments[3]), as.integer(arguments[4]))
}
