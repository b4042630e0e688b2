"""Distributions from text."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.random import Distribution, RandomStream, parse_distribution

SAME = [
    ("exponential(mean=1.5)", "Exponential(mean=1.5, bound=0.0)"),
    ("Exponential(1.5, bound=4)", "Exponential(mean=1.5, bound=4.0)"),
    ("  exponential ", "Exponential(mean=1.0, bound=0.0)"),
    ("log_normal(0, 2)", "LogNormal(mu=0.0, sigma=2.0)"),
    ("integer(0, 15)", "UniformInteger(min=0, max=15)"),
    ("normal(bound=inf)", "Normal(mean=0.0, std=1.0, bound=inf)"),
    ("normal(-3)", "Normal(mean=-3.0, std=1.0, bound=inf)"),
    ("2.5", "Constant(value=2.5)"),
    ("-2", "Constant(value=-2.0)"),
    ("deterministic([1, 2])", "Deterministic(values=[1.0, 2.0])"),
    ("sequential(0, 9, increment=constant(2))", None),
    ("ns3::ConstantRandomVariable[Constant=3]", "Constant(value=3.0)"),
    ("ExponentialRandomVariable[Mean=2|Bound=9]", "Exponential(mean=2.0, bound=9.0)"),
    ("ns3::ErlangRandomVariable[K=3|Lambda=2]", "Erlang(k=3, scale=2.0)"),
    ("ns3::UniformRandomVariable", "Uniform(min=0.0, max=1.0)"),
    (
        "ns3::SequentialRandomVariable[Min=0|Max=9|"
        "Increment=ns3::UniformRandomVariable[Min=1|Max=2]|Consecutive=3]",
        "Sequential(min=0.0, max=9.0, increment=Uniform(min=1.0, max=2.0), consecutive=3)",
    ),
]


@pytest.mark.parametrize(("text", "shown"), SAME)
def test_text_gives_the_distribution(text, shown):
    found = parse_distribution(text, RandomStream())
    assert math.isfinite(found.draw())
    if shown is not None:
        assert repr(found) == shown


WRONG = [
    ("exponental(1)", "distribution is 'exponental'; it must be one of bernoulli"),
    ("exponential(mean=-1)", r"exponential: mean is -1\.0"),
    ("exponential(meen=1)", "exponential: .*meen"),
    ("exponential(1", "it must be a name with parameters"),
    ("exponential('1')", "it must be a name with parameters"),
    ("exponential(stream=1)", "stream cannot be given in text"),
    ("exponential(**{})", "it must be a name with parameters"),
    ("__import__('os')", "it must be a name with parameters"),
    ("True", "it must be a name with parameters"),
    ("", "it must be a name with parameters"),
    ("nan", "distribution is 'nan'"),
    ("1e999", "value is inf"),
    ("(" * 5000, "it must be a name with parameters"),
    ("x" * 70000, "at most 65536 allowed"),
    ("\0", "it must be a name with parameters"),
    ("ns3::ExponentialRandomVariable[Mean=1", "it must look like"),
    ("ns3::ExponentialRandomVariable[Mean]", "it must be Name=value"),
    ("ns3::ExponentialRandomVariable[Mean=x]", "Mean is 'x'; it must be a number"),
    ("ns3::ExponentialRandomVariable[Stream=1]", "stream cannot be given in text"),
    ("ns3::NoSuchRandomVariable[]", "distribution is 'NoSuch'"),
    ("ns3::Node", "it must look like"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=lambda item: item[:40])
def test_wrong_text_is_a_value_error(text, message):
    with pytest.raises(ValueError, match=message):
        parse_distribution(text)


WORDS = st.sampled_from(
    [
        *("exponential", "zipf", "normal", "empirical", "sequential", "inf", "mean", "n", "points"),
        *("ns3::", "RandomVariable", "Mean=1", "[", "]", "(", ")", ",", "=", "|", "-", "1", "0"),
        *("2.5", "**", "lambda:", ".", "'", "True", "None", "\n"),
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map("".join)))
def test_any_text_gives_a_distribution_or_a_value_error(text):
    with suppress(ValueError):
        assert isinstance(parse_distribution(text), Distribution)
