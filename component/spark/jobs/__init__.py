"""What the engine runs on splits: types are inferred, rows milled or shuffled, cuts proven, outputs written."""
