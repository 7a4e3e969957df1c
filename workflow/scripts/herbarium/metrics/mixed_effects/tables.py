"""Published tables, by the name of the file that compares ours with them."""

PUBLISHED = ("table2", "table3", "table4", "table5", "table6", "table7", "table13", "table14", "table16", "text")
