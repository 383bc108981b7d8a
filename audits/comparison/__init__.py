"""What is the same in two versions: rows of datasets, words of texts, claims of answers, settings of audits."""
