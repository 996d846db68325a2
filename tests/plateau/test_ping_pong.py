"""Tablemill, plateau with pandas 2 and with pandas 3, and kartothek update one dataset in turn, ten rounds.

After each round the rows are those of an oracle, read by us and by another client in turn, and after the fifth and the
last by every client that can; each refusal is one that reference kartothek 2.4, C.5 explains.
kartothek takes part where there is a Python 3.8.
"""

import random
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from component.dataset.format.header import read_header
from component.dataset.verification.verify import verify
from component.store.local import LocalStore
from tests.dataset.oracle import filtered
from tests.kartothek.process import Kartothek, KartothekError, kartothek_python
from tests.plateau.players import INDICES, KEYS, UUID, OfKartothek, OfPlateau, Types, Us, rows_of
from tests.plateau.process import PlateauError
from tests.plateau.rows import same_rows

pytestmark = pytest.mark.plateau
ROUNDS = 10
STARTERS = ["us", "us for kartothek", "pandas 2", "pandas 3"] + ["kartothek"] * kartothek_python().exists()
OPERATIONS = ("append", "replace", "metadata", "collect")


@pytest.fixture(scope="module")
def players(plateau, plateau_pandas3):
    found = {
        "us": Us("plateau"),
        "us for kartothek": Us("kartothek"),
        "pandas 2": OfPlateau(plateau),
        "pandas 3": OfPlateau(plateau_pandas3),
    }
    if not kartothek_python().exists():
        yield found
        return
    process = Kartothek(kartothek_python())
    yield found | {"kartothek": OfKartothek(process)}
    process.close()


class Game:
    """A dataset, and what it should be: rows, and metadata."""

    def __init__(self, store, keys, indices):
        self.store, self.keys, self.indices = store, keys, indices
        self.rows, self.metadata = [], {}

    def start(self, player):
        self.rows = [rows_of(0, KEYS[:2])]
        player.create(self.store, self.rows[0], self.keys, self.indices)

    def turn(self, number, player, operation):
        """One update by a player, or its refusal, after which everything is as it was."""
        rows, scope = rows_of(number, [KEYS[number % 4], KEYS[(number + 1) % 4]]), [{"k": KEYS[number % 4]}]
        steps = {
            "append": lambda: player.append(self.store, rows, self.keys, self.indices),
            "replace": lambda: player.replace(self.store, rows, self.keys, self.indices, scope),
            "metadata": lambda: player.set_metadata(self.store, {"turn": number, "é": [None, {"a": 1.5}]}),
            "collect": lambda: player.collect(self.store),
        }
        refusal = player.refuses(operation, Types(self.store))
        if refusal:
            with pytest.raises((PlateauError, KartothekError)) as caught:
                steps[operation]()
            assert re.search(refusal, str(caught.value)), caught.value
            return False
        steps[operation]()
        if operation == "replace":
            self.rows = [part.filter(pc.not_equal(part["k"], scope[0]["k"])) for part in self.rows]
        if operation in {"append", "replace"}:
            self.rows.append(rows)
        elif operation == "metadata":
            self.metadata = {"turn": number, "é": [None, {"a": 1.5}]}
        return True

    def check(self, players):
        """The players read the rows of the oracle, who can; the dataset is whole, each index exact."""
        expected = pa.concat_tables(self.rows)
        types = Types(self.store)
        for name, player in players.items():
            refusal = player.refuses("read", types)
            if refusal:
                with pytest.raises(KartothekError, match=refusal):
                    player.read(self.store)
                continue
            assert same_rows(player.read(self.store), expected), name
            asked = [[("exact", "==", expected["exact"][-3].as_py())]]
            assert same_rows(player.read(self.store, predicates=asked), filtered(expected, asked)), name
        assert verify(self.store, UUID).faults == ()
        metadata = read_header(self.store, UUID).header.metadata
        assert {
            key: value for key, value in metadata.items() if key not in {"creation_time", "tablemill"}
        } == self.metadata


LAYOUTS = {
    "plain": ((), ()),
    "indexed": ((), INDICES),
    "cut by text": (("k",), ()),
    "cut and indexed": (("k",), INDICES),
}


@pytest.mark.parametrize("starter", STARTERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ten_rounds(tmp_path, players, starter, layout):
    game = Game(LocalStore(tmp_path), *LAYOUTS[layout])
    game.start(players[starter])
    game.check(players)
    chance = random.Random(f"{starter} {layout}")
    done = 0
    others = [name for name in players if name != "us"]
    for number in range(1, ROUNDS + 1):
        operations = [name for name in OPERATIONS if game.keys or name != "replace"]
        done += game.turn(number, chance.choice(list(players.values())), chance.choice(operations))
        readers = players if number in {ROUNDS // 2, ROUNDS} else ("us", others[number % len(others)])
        game.check({name: players[name] for name in readers})
    assert done >= ROUNDS // 2
