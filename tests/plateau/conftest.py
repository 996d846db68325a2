from tests.plateau.process import plateau

__all__ = ["plateau"]
