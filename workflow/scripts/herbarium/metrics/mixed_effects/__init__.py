TITLE = "Mixed effects"  # on the page, in captions and in the documentation
