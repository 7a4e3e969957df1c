"""The one exception that people are meant to read."""


class HerbariumError(Exception):
    """Something the user can mend: the message says what is wrong, where, and what would be right."""
