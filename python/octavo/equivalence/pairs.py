"""Which functions of two modules must agree, and how to ask both."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from octavo.equivalence.inputs import random_inputs
from octavo.equivalence.weights import Surroundings
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.functions import defined_functions, function_name
from octavo.passes.lower.lower_kv_state import state_names, state_symbol

_ENTRY_POINT = re.compile(r"step_b\d+_t\d+")


@dataclass(frozen=True, slots=True)
class Question:
    """What a function is asked.

    Attributes:
        inputs: its arguments, those that carry state left out.
        states: arrays by the name of the global that holds the state once it is lowered.
    """

    inputs: list[np.ndarray]
    states: dict[str, np.ndarray]


Answer = list[np.ndarray]
Ask = Callable[[Question, Surroundings], Answer]


@dataclass(frozen=True, slots=True)
class Pair:
    """A function after a change, and what it must agree with.

    Attributes:
        name: of the function after the change.
        question: draws a question.
        before: answers as is expected.
        after: answers to be compared with that.
    """

    name: str
    question: Callable[[np.random.Generator], Question]
    before: Ask
    after: Ask


def pairs_of(before: ir.Module, after: ir.Module) -> tuple[list[Pair], list[tuple[str, str]]]:
    """Pair the functions of two modules.

    Functions of one name and type correspond, state left out, which may be arguments or variables. So do a
    model's `main` and the `step` that `paginate-kv` makes of it, and a `step` and the `step_b8_t1` that
    `specialize-buckets` makes of that.

    Returns:
        The pairs, and the functions without one, each with the reason.
    """
    old, new = _by_name(before), _by_name(after)
    pairs: list[Pair] = []
    alone: list[tuple[str, str]] = []
    for name, function in new.items():
        origin = _origin(name, old)
        if origin is None:
            alone.append((name, "it is new"))
        elif (origin, name) == ("main", "step"):
            pairs.append(_paginated(before, after, function))
        elif origin != name:
            pairs.append(_direct(before, origin, after, name, asked=function))
        elif _signature(old[name]) == _signature(function):
            pairs.append(_direct(before, name, after, name, asked=old[name]))
        else:
            types = [
                str(ir.TypeAttr(each.attributes["function_type"]).value)
                for each in (old[name], function)
            ]
            alone.append((name, f"its type changed from {types[0]} to {types[1]}"))
    origins = {_origin(name, old) for name in new}
    alone += [(name, "it is gone") for name in old if name not in origins]
    return pairs, alone


def _by_name(module: ir.Module) -> dict[str, ir.Operation]:
    return {function_name(op): op for op in defined_functions(module.operation)}


def _origin(name: str, old: dict[str, ir.Operation]) -> str | None:
    if name in old:
        return name
    maker = "step" if _ENTRY_POINT.fullmatch(name) else "main" if name == "step" else None
    return maker if maker in old else None


def _signature(function: ir.Operation) -> tuple[list[ir.Type], list[ir.Type]]:
    """Types of the arguments and of the results that carry no state."""
    type_ = ir.TypeAttr(function.attributes["function_type"]).value
    taken, returned = _states(function)
    return (
        [each for each, state in zip(type_.inputs, taken, strict=True) if state is None],
        [each for each, state in zip(type_.results, returned, strict=True) if state is None],
    )


def _states(function: ir.Operation) -> tuple[list[str | None], list[str | None]]:
    view = function.opview
    return state_names(view, "arg_attrs"), state_names(view, "res_attrs")


def _direct(
    before: ir.Module, origin: str, after: ir.Module, name: str, asked: ir.Operation
) -> Pair:
    return Pair(
        name=name,
        question=lambda rng: _question(asked, rng),
        before=lambda question, around: _ask(before, origin, question, around),
        after=lambda question, around: _ask(after, name, question, around),
    )


def _question(function: ir.Operation, rng: np.random.Generator) -> Question:
    taken, _ = _states(function)
    drawn = list(zip(random_inputs(function, rng), taken, strict=True))
    return Question(
        inputs=[array for array, state in drawn if state is None],
        states={state_symbol(state): array for array, state in drawn if state is not None},
    )


def _ask(module: ir.Module, name: str, question: Question, around: Surroundings) -> Answer:
    """What the function returns, and then what becomes of the state, in the order of its names."""
    function = _by_name(module)[name]
    taken, returned = _states(function)
    variables = {**around.variables, **question.states}
    given = dict(variables)
    plain = iter(question.inputs)
    inputs = [next(plain) if state is None else variables[state_symbol(state)] for state in taken]
    results = evaluate(module, inputs, function=name, weights=around.weights, variables=variables)
    outputs = []
    for array, state in zip(results, returned, strict=True):
        if state is None:
            outputs.append(array)
        else:
            variables[state_symbol(state)] = array
    changed = {key for key in variables if variables[key] is not given.get(key)}
    return [*outputs, *(variables[key] for key in sorted(changed | question.states.keys()))]


def _paginated(before: ir.Module, after: ir.Module, step: ir.Operation) -> Pair:
    """A stateless model, and a step over an empty cache called twice: the sequence in two chunks.

    The question is one for `step`; its `lens` are how many tokens the first call takes. The answer is the
    model's logits behind the last token of each chunk.
    """

    def question(rng: np.random.Generator) -> Question:
        drawn = _question(step, rng)
        tokens, start, lens, table = drawn.inputs
        empty = {name: np.zeros_like(pool) for name, pool in drawn.states.items()}
        return Question([tokens, np.zeros_like(start), lens, table], empty)

    def expected(question: Question, around: Surroundings) -> Answer:
        tokens, _, lens, _ = question.inputs
        positions = np.broadcast_to(np.arange(tokens.shape[1], dtype=np.int32), tokens.shape)
        [logits] = evaluate(before, [tokens, positions.copy()], weights=around.weights)
        end = np.full_like(lens, tokens.shape[1])
        return [_last(logits, lens, lens == 0), _last(logits, end, end == lens)]

    def got(question: Question, around: Surroundings) -> Answer:
        tokens, start, lens, table = question.inputs
        head, *pools = _ask(after, "step", question, around)
        states = dict(zip(sorted(question.states), pools, strict=True))
        rest = np.full_like(lens, tokens.shape[1]) - lens
        shifted = np.stack([np.roll(row, -count) for row, count in zip(tokens, lens, strict=True)])
        second = Question([shifted, start + lens, rest, table], states)
        return [head, _ask(after, "step", second, around)[0]]

    return Pair("step", question, expected, got)


def _last(logits: np.ndarray, ends: np.ndarray, idle: np.ndarray) -> np.ndarray:
    """Logits behind token `ends` - 1 of each row, in f32 as a step gives them; 0 in idle rows."""
    rows = np.arange(len(ends))
    last = np.asarray(logits[rows, np.maximum(ends - 1, 0)], np.float32)
    last[idle] = 0
    return last
