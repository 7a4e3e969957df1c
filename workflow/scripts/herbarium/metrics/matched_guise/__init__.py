TITLE = "Matched guise"  # on the page, in captions and in the documentation
