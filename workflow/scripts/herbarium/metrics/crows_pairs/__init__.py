TITLE = "CrowS-Pairs"  # on the page, in captions and in the documentation
