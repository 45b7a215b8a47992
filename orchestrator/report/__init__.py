"""The last run as one page: what is noted of a run, and how the page is made from it."""
