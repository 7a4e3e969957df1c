TITLE = "Social bias probing (SoFa)"  # on the page, in captions and in the documentation
