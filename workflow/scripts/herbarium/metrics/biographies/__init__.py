TITLE = "Biographies"  # on the page, in captions and in the documentation
