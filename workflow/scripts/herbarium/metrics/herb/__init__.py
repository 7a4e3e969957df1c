TITLE = "HERB"  # on the page, in captions and in the documentation
