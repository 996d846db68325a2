"""How amounts, findings, secrets and tables look in every report."""
