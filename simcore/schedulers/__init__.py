"""Pending-event sets; all of them run events in the same order, by (time, insertion number).

``heap``    4-ary array heap, the default: O(log n) insert, pop, cancel and re-arm
``radix``   radix heap on the integer time, for tens of thousands of pending events and more
``sorted``  `sortedcontainers.SortedList`, the readable reference the others are tested against
"""
