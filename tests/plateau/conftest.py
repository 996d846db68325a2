from tests.plateau.process import plateau
from tests.runner.conftest import folder, run, scratch

__all__ = ["folder", "plateau", "run", "scratch"]
