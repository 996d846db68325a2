"""The answer for a whole job: tables and files by one rule set, and where rule sets disagree."""
