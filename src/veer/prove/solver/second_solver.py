"""A second solver, cvc5, is asked the same questions; an optional package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from veer.errors import UsageError
from veer.options import SecondSolver
from veer.verdict import SecondAnswer

WORK = 5_000_000  # cvc5's resource units per question: some seconds


def second_solver(solver: SecondSolver) -> str:
    """The name and version of a second solver, or what to install."""
    name = solver.value
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        raise UsageError(
            f"{name} is not installed; `pip install 'veer-spark[recheck]'` installs it"
        ) from None


def ask_again(question: str, work: int = WORK) -> tuple[SecondAnswer, str]:
    """What cvc5 says of a question in SMT-LIB 2 that was found unsatisfiable, and its words."""
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(work))
    parser = cvc5.InputParser(solver)
    output = ""
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "question")
        while not (command := parser.nextCommand()).isNull():
            # An answer other than the :status of a question would be an error instead.
            if command.getCommandName() != "set-info":
                output += command.invoke(solver, parser.getSymbolManager())
    except RuntimeError as error:
        return SecondAnswer.NOT_RECHECKED, str(error)
    output = output.strip()
    answers = {"unsat": SecondAnswer.AGREED, "sat": SecondAnswer.DISAGREED}
    # "unknown", or any other words, neither confirm nor deny.
    return answers.get(output, SecondAnswer.NOT_RECHECKED), output
