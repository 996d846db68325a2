"""`python -m component` is the command `tablemill`."""

from component.cli.main import main

if __name__ == "__main__":
    main()
