"""The results of a study in formats that other tools read: one function per format, plain data in and out."""
