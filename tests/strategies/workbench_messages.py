"""Messages, quick fixes and errors of Workbench."""

from __future__ import annotations

from hypothesis import strategies as st

from component.workbench.render.messages import Message, QuickFix, RenderError

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
arguments = st.dictionaries(words, st.one_of(words, st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
messages = st.builds(Message, words, arguments, st.sampled_from([None, "module", "cjwmodule", "cjwparse"]))
quick_fixes = st.builds(QuickFix, messages, words, arguments)
errors = st.builds(RenderError, messages, st.lists(quick_fixes, max_size=2).map(tuple))
