"""A program of others as a server: runs in that program's own environment and answers calls on standard input.

A call is one pickled pair: the name of a function, its arguments. So is the answer: whether it went well, and the
result or the text of the error. The functions are those that the script named on the command line has as CALLS.
Standard library only, nothing of Tablemill, and nothing that Python 3.8 does not know.
"""

import os
import pickle
import runpy
import sys


def serve(known, calls, answers):
    while True:
        try:
            name, arguments = pickle.load(calls)
        except EOFError:
            return
        try:
            answer = (True, known[name](**arguments))
        except Exception as error:  # noqa: BLE001 - the boundary to the tests, which raise it again
            answer = (False, f"{type(error).__name__}: {error}")
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    kept = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not end up among the answers
    serve(runpy.run_path(sys.argv[1])["CALLS"], sys.stdin.buffer, kept)
