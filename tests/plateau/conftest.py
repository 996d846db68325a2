from tests.plateau.process import plateau, plateau_pandas3
from tests.runner.conftest import folder, run, scratch

__all__ = ["folder", "plateau", "plateau_pandas3", "run", "scratch"]
