TITLE = "Word associations"  # on the page, in captions and in the documentation
