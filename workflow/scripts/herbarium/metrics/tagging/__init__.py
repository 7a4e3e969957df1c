TITLE = "Named entities"  # on the page, in captions and in the documentation
