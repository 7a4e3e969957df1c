TITLE = "Sentence sets"  # on the page, in captions and in the documentation
