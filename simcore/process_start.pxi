# Part of process.pyx: how a call becomes a process, and what is refused.

class ProcessFactory:
    """What ``@sim.process`` makes of a generator function that needs more arguments.

    Each call starts a process; the simulator may be left out: ``customer(3)`` is
    ``customer(sim, 3)``.
    """

    def __init__(self, sim, function, args=(), kwargs=None):
        self.sim = sim
        self.function = function
        self.args = args
        self.kwargs = kwargs or {}
        self.__doc__ = getattr(function, "__doc__", None)
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__wrapped__ = function

    def __call__(self, *args, **kwargs):
        if args and args[0] is self.sim:
            args = args[1:]
        return start_function(self.sim, self.function, self.args + args, {**self.kwargs, **kwargs})

    def __repr__(self):
        return f"<process factory {self.__name__}>"


def start(Simulator sim not None, function, *args, **kwargs):
    """Start a process; ``sim.process(...)`` calls this, also as a decorator.

    Parameters
    ----------
    sim : Simulator
    function : generator or callable
        A generator, or a function that returns one when it is called with the simulator and the
        further arguments. A function without parameters is called without the simulator.
    *args, **kwargs
        The further arguments; the simulator may be given first.

    Returns
    -------
    Process or ProcessFactory
        A factory when the function needs arguments that were not given: calling it starts one.

    Raises
    ------
    TypeError
        When there is no generator to run.
    """
    if PyGen_CheckExact(function) or is_generator(function):
        if args or kwargs:
            raise TypeError(f"{function!r} already has its arguments: give the function instead")
        return start_generator(sim, function)
    if not callable(function):
        raise TypeError(f"a process of {function!r}: it must be a generator or generator function")
    if args and args[0] is sim:
        args = args[1:]
    if needs_more(function, 1 + len(args), kwargs):
        return ProcessFactory(sim, function, args, kwargs)
    return start_function(sim, function, args, kwargs)


cdef bint is_generator(object value) except -1:
    return not isinstance(value, type) and hasattr(value, "send") and hasattr(value, "throw")


cdef Process start_generator(Simulator sim, object generator):
    cdef Process process = Process.__new__(Process)
    process.simulator = sim
    process.generator = generator
    sim.insert(process, sim.now_ns, sim.current_context)
    return process


cdef Process start_function(Simulator sim, object function, tuple args, dict kwargs):
    cdef object generator
    if takes_arguments(function):
        args = (sim, *args)
    generator = function(*args, **kwargs)
    if not PyGen_CheckExact(generator) and not is_generator(generator):
        raise TypeError(
            f"{function!r} returned {generator!r}: a process must be a generator function, "
            "with a yield in its body"
        )
    return start_generator(sim, generator)


cdef object code_of(object function):
    """Code object and number of bound arguments of a function or method, or None."""
    cdef object inner = getattr(function, "__func__", None)
    if inner is not None:
        code = getattr(inner, "__code__", None)
        return None if code is None else (code, inner, 1)
    code = getattr(function, "__code__", None)
    return None if code is None else (code, function, 0)


cdef bint takes_arguments(object function) except -1:
    cdef object known = code_of(function)
    if known is None:
        from inspect import signature

        return len(signature(function).parameters) > 0
    code, _, bound = known
    return code.co_argcount > bound or (code.co_flags & CO_VARARGS) != 0


cdef bint needs_more(object function, Py_ssize_t given, dict kwargs) except -1:
    """Whether a positional parameter without default gets nothing."""
    cdef object known = code_of(function)
    cdef Py_ssize_t required
    if known is None:
        from inspect import Parameter, signature

        names = [
            parameter.name for parameter in signature(function).parameters.values()
            if parameter.default is Parameter.empty
            and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        ]
    else:
        code, inner, bound = known
        required = code.co_argcount - len(inner.__defaults__ or ())
        if required - bound <= given:
            return False
        names = code.co_varnames[bound:required]
    return any(name not in kwargs for name in names[given:])
