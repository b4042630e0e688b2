"""Service times of a forwarder: a finite queue and one or more servers before its pipelines.

A packet is served in the order of arrival; when its service ends, the forwarder handles it at
once and what it sends leaves. The time depends on the pipeline, the components of the name and the
bytes of the packet.
"""

cimport cython
from libc.math cimport llround
from libc.stdint cimport int64_t

from simcore.models.ndn.content_store cimport ContentStore
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face, PacketSink
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name
from simcore.simulator cimport Event, Simulator

from simcore.models.ndn.service_models import service_model_from

cdef double NS_PER_US = 1000.0


cdef CostNs cost_from(cost):
    cdef CostNs result
    result.constant = NS_PER_US * cost.constant
    result.per_component = NS_PER_US * cost.per_component
    result.per_byte = NS_PER_US * cost.per_byte
    return result


cdef inline double time_of(CostNs* cost, Name name, int64_t size) noexcept:
    return cost.constant + cost.per_component * name.count + cost.per_byte * size


@cython.final
@cython.freelist(64)
cdef class Job:
    """A packet that waits or is served."""


@cython.final
cdef class Server(Event):
    """One server of a processor."""

    cdef int fire(self) except -1:
        return self.processor.finish(self)

    cdef str describe(self):
        return "end of service"


@cython.final
cdef class Processor(PacketSink):
    """Hands packets to a forwarder after they have waited and been served.

    Parameters
    ----------
    sim : Simulator
    forwarder : PacketSink
        Who handles the packets.
    cs : ContentStore
        Looked at to tell Interests that it will answer.
    model : ServiceModel or str

    Raises
    ------
    ValueError
        When there is no model of this name, or it takes no time at all.
    """

    def __init__(
        self, Simulator sim not None, PacketSink forwarder not None, ContentStore cs not None,
        model,
    ):
        cdef Server server
        chosen = service_model_from(model)
        if chosen is None:
            raise ValueError(f"model is {model!r}: without service times no processor is needed")
        self.sim = sim
        self.forwarder = forwarder
        self.cs = cs
        self.model = chosen
        self.interest = cost_from(chosen.interest)
        self.hit = cost_from(chosen.hit)
        self.data = cost_from(chosen.data)
        self.insert = cost_from(chosen.insert)
        self.nack = cost_from(chosen.nack)
        self.queue = [None] * chosen.queue
        self.began = sim.now_ns
        self.servers = []
        for _server in range(chosen.servers):
            server = Server.__new__(Server)
            server.processor = self
            self.servers.append(server)
        self.idle = self.servers[::-1]

    cdef int receive_interest(self, Face face, Interest interest, LpFields fields) except -1:
        return self.accept(INTEREST, face, interest, fields, 0)

    cdef int receive_data(self, Face face, Data data, LpFields fields) except -1:
        return self.accept(DATA, face, data, fields, 0)

    cdef int receive_nack(
        self, Face face, Interest interest, int reason, LpFields fields
    ) except -1:
        return self.accept(NACK, face, interest, fields, reason)

    cdef int accept(
        self, int kind, Face face, object packet, LpFields fields, int reason
    ) except -1:
        cdef Job job
        cdef int64_t room = len(self.queue)
        if not self.idle and self.queue_length >= room:
            self.dropped[kind] += 1
            return 0
        job = Job.__new__(Job)
        job.kind = kind
        job.reason = reason
        job.face = face
        job.packet = packet
        job.fields = fields
        job.arrived = self.sim.now_ns
        if self.idle:
            return self.start(<Server>self.idle.pop(), job)
        self.queue[(self.head + self.queue_length) % room] = job
        self.queue_length += 1
        if self.queue_length > self.peak_queue:
            self.peak_queue = self.queue_length
        return 0

    cdef int start(self, Server server, Job job) except -1:
        server.job = job
        server.started = self.sim.now_ns
        self.waited += server.started - job.arrived
        self.waits += 1
        return self.sim.schedule_event(self.service_time(job), server)

    cdef int64_t service_time(self, Job job) except -1:
        cdef double time
        cdef Data data
        cdef Interest interest
        if job.kind == DATA:
            data = <Data>job.packet
            time = time_of(&self.data, data.name, data.size)
            if self.cs.admits and self.cs.capacity > 0:
                time += time_of(&self.insert, data.name, data.size)
        else:
            interest = <Interest>job.packet
            if job.kind == NACK:
                time = time_of(&self.nack, interest.name, interest.size)
            elif self.cs.answers(interest, self.sim.now_ns):
                time = time_of(&self.hit, interest.name, interest.size)
            else:
                time = time_of(&self.interest, interest.name, interest.size)
        return llround(time)

    cdef int finish(self, Server server) except -1:
        cdef Job job = server.job
        server.job = None
        self.busy += self.sim.now_ns - server.started
        self.served += 1
        # A face that was closed meanwhile is no longer heard.
        if job.face.is_open:
            if job.kind == INTEREST:
                self.forwarder.receive_interest(job.face, <Interest>job.packet, job.fields)
            elif job.kind == DATA:
                self.forwarder.receive_data(job.face, <Data>job.packet, job.fields)
            else:
                self.forwarder.receive_nack(
                    job.face, <Interest>job.packet, job.reason, job.fields
                )
        if self.queue_length == 0:
            self.idle.append(server)
            return 0
        job = <Job>self.queue[self.head]
        self.queue[self.head] = None
        self.head = (self.head + 1) % <int64_t>len(self.queue)
        self.queue_length -= 1
        return self.start(server, job)

    @property
    def drops(self):
        """Packets dropped because the queue was full."""
        return self.dropped[INTEREST] + self.dropped[DATA] + self.dropped[NACK]

    @property
    def drops_by_kind(self):
        """Packets dropped because the queue was full: ``interests``, ``data``, ``nacks``."""
        return {
            "interests": self.dropped[INTEREST],
            "data": self.dropped[DATA],
            "nacks": self.dropped[NACK],
        }

    @property
    def utilisation(self):
        """Part of the time since the beginning in which the servers were busy, 0 to 1."""
        cdef int64_t busy = self.busy
        cdef Server server
        cdef int64_t elapsed = self.sim.now_ns - self.began
        for item in self.servers:
            server = item
            if server.job is not None:
                busy += self.sim.now_ns - server.started
        return busy / (<double>elapsed * len(self.servers)) if elapsed else 0.0

    @property
    def mean_waiting_time(self):
        """Mean time that packets waited before they were served, ns; 0 when there were none."""
        return self.waited / <double>self.waits if self.waits else 0.0

    def __repr__(self):
        return f"<Processor of {self.forwarder!r}>"
