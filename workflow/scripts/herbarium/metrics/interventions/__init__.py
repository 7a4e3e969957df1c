TITLE = "Interventions"  # on the page, in captions and in the documentation
