"""From one state to the next: what is put in which order, taken back, found by whom, let go."""
