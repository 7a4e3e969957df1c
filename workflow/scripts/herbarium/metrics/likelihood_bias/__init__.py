TITLE = "Likelihood bias"  # on the page, in captions and in the documentation
