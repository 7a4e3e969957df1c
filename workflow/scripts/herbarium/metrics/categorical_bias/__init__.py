TITLE = "Categorical Bias"  # on the page, in captions and in the documentation
