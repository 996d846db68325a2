"""What the platform accepts in silence and a user should know before the job runs."""
