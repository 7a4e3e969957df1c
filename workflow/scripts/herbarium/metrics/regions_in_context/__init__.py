TITLE = "Regions in context"  # on the page, in captions and in the documentation
