"""What a policy file may say, key by key, before anything is done with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgate_sql.errors import PolicyError
from evalgate_sql.model.policy import ArgumentBound, ClockCall, ClockRule
from evalgate_sql.policy.document import parse_own, parse_shipped
from evalgate_sql.policy.reference import PolicyId

HEAD = """
name = "sqlite"
version = 7
engine = "sqlite"
engine_versions = ">=3.37"
"""
FULL = f"""{HEAD}
[groups.math]
reason = "Pure."
functions = ["abs", "->>"]
table_functions = ["json_each"]

[groups.clock]
reason = "Reads the clock."
enabled = false
functions = ["current_date"]
time_values = ["now"]
modifiers = ["utc"]
[[groups.clock.calls]]
functions = ["timediff"]
time_arguments = [1, 2]

[[bounds]]
reason = "Grows."
functions = ["printf"]
argument = 1
literal = true
max_length = 10
max_format_width = 20

[[excluded]]
reason = "Of no use."
functions = ["changes"]
"""


def test_shipped_file_becomes_values() -> None:
    """Every key of a shipped file arrives where it belongs."""
    document = parse_shipped(FULL.encode(), file="sqlite/7.toml")
    math, clock = document.groups
    assert document.policy_id == PolicyId("sqlite", 7)
    assert (document.engine, document.engine_versions) == ("sqlite", ">=3.37")
    assert (math.name, math.enabled, math.clock) == ("math", True, None)
    assert (math.functions, math.table_functions) == (frozenset({"abs", "->>"}), frozenset({"json_each"}))
    assert (clock.enabled, clock.functions) == (False, frozenset({"current_date"}))
    assert clock.clock == ClockRule(
        calls=(ClockCall(functions=frozenset({"timediff"}), time_arguments=(1, 2)),),
        time_values=frozenset({"now"}),
        modifiers=frozenset({"utc"}),
    )
    assert document.bounds == (
        ArgumentBound(frozenset({"printf"}), argument=1, literal=True, max_length=10, max_format_width=20),
    )
    assert document.excluded[0].functions == {"changes"}


GROUP = '[groups.math]\nreason = "Pure."\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "groups: this key is required"),
        (HEAD + "groups = []", "groups: must be a table, not an array"),
        (HEAD + "[groups.maths]", 'groups.maths: unknown key (did you mean "math"?)'),
        (HEAD + "[groups.math]", "groups.math.reason: this key is required"),
        (HEAD + '[groups.math]\nreason = "a\\nb"', "groups.math.reason: must be one sentence"),
        (HEAD + GROUP + 'enabled = "no"', "groups.math.enabled: must be a boolean, not a string"),
        (HEAD + GROUP + 'modifiers = ["utc"]', "groups.math.modifiers: unknown key"),
        (HEAD + GROUP + 'functions = ["Abs"]', 'groups.math.functions: "Abs" must be a function name in lower case'),
        (HEAD + GROUP + "functions = [[]]", "groups.math.functions[0]: must be a string, not an array"),
        (HEAD + '[groups.clock]\nreason = "r"\ncalls = [1]', "groups.clock.calls[0]: must be a table, not an integer"),
        (
            HEAD + '[groups.clock]\nreason = "r"\n[[groups.clock.calls]]\nfunctions = ["date"]',
            "groups.clock.calls[0].time_arguments: must name at least one argument",
        ),
        (
            HEAD + '[groups.clock]\nreason = "r"\n[[groups.clock.calls]]\ntime_arguments = [0]',
            'groups.clock.calls[0].time_arguments: "0" must be from 1 to 100',
        ),
        (HEAD + "[groups]\n[[bounds]]\nargument = 1", "bounds[0].reason: this key is required"),
        (HEAD + '[groups]\n[[bounds]]\nreason = "r"\nargument = 0', "bounds[0].argument: must be from 1 to 100"),
        (HEAD + '[groups]\n[[excluded]]\nreasons = "r"', 'excluded[0].reasons: unknown key (did you mean "reason"?)'),
        (HEAD.replace('"sqlite"\neng', '"oracle"\neng'), 'engine: must be sqlite or postgresql, not "oracle"'),
        (HEAD.replace(">=3.37", "3.37"), "engine_versions: must be a least version such as >=3.37"),
    ],
)
def test_shipped_file_faults_name_the_key(text: str, message: str) -> None:
    """A fault in a shipped file names the path of the key and what is wrong with it."""
    with pytest.raises(PolicyError) as caught:
        parse_shipped(text.encode(), file="sqlite/7.toml")
    assert message in caught.value.diagnostics()
    assert caught.value.file == "sqlite/7.toml"


def test_long_words_are_cut_in_messages() -> None:
    """A message stays one short line, however long the word is that it complains about."""
    with pytest.raises(PolicyError) as caught:
        parse_own(f"{'x' * 100_000} = 1".encode(), file="ours.toml")
    assert len(caught.value.message) < 120


KEYS = st.sampled_from(["name", "version", "extends", "remove", "add", "enable_groups", "engine", "x"])
WORDS = st.one_of(st.sampled_from(["ours", "sqlite@1", "sum", "clock"]), st.text(max_size=8))
VALUES = st.one_of(
    st.integers(), st.booleans(), WORDS.map(lambda word: f'"{word}"'), st.lists(WORDS, max_size=3).map(str)
)
LINES = st.one_of(st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]} = {pair[1]}"), st.text(max_size=20))


@given(st.one_of(st.binary(max_size=64), st.lists(LINES, max_size=8).map(lambda lines: "\n".join(lines).encode())))
def test_no_text_breaks_the_reader(content: bytes) -> None:
    """Whatever the bytes are, the reader gives a document or a `PolicyError` that fits on one line."""
    try:
        parse_own(content, file="ours.toml")
    except PolicyError as error:
        assert error.message.isprintable()  # noqa: PT017 - either end is right, and only one has a message
