TITLE = "Downstream tasks"  # on the page, in captions and in the documentation
