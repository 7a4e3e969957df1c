TITLE = "Languages in one space"  # on the page, in captions and in the documentation
