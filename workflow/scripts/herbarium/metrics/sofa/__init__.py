TITLE = "Social bias probing"  # on the page, in captions and in the documentation
