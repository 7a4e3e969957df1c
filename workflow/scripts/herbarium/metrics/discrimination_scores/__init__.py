TITLE = "Discrimination scores"  # on the page, in captions and in the documentation
