TITLE = "HONEST"  # on the page, in captions and in the documentation
