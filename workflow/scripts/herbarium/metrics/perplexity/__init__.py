TITLE = "Pseudo-perplexity"  # on the page, in captions and in the documentation
