TITLE = "Counterfactual sentences"  # on the page, in captions and in the documentation
