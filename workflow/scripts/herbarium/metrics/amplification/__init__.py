TITLE = "Bias amplification"  # on the page, in captions and in the documentation
