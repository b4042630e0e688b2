"""Minstrel: statistics of every rate, kept up to date by looking around."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream

from simcore.models.wifi.managers.manager import count_of, duration_of

cdef enum:
    # A probability of 1 in the fixed-point numbers of the Linux module.
    CERTAIN = 18000
    # Below 10 and above 95 per cent a rate is sampled and repeated less.
    RARELY = 1800
    NEARLY_ALWAYS = 17100
    FEW_SAMPLES = 4
    FEW_RETRIES = 2
    # A slower rate that was left out so many times is sampled at the first attempt.
    SKIPPED_TOO_OFTEN = 20
    MAX_RETRIES = 10
    # All attempts of a frame at a rate fit into this time (ns).
    SEGMENT_NS = 6_000_000


cdef struct RateStatistics:
    int64_t airtime                # of a frame of the nominal length, ns
    int32_t retries                # attempts that fit into a segment
    int32_t allowed                # attempts at present
    int32_t samples_left           # -1: any number
    int32_t skipped                # periods without an attempt
    int32_t attempts               # in this period
    int32_t successes
    int64_t successes_before       # in all periods before
    uint32_t probability           # moving average, of CERTAIN
    uint32_t throughput


cdef class MinstrelStation(RemoteStation):
    """The state of Minstrel for one peer.

    Attributes
    ----------
    best, second, safest : int
        Rates of highest and second highest throughput, and of highest probability.
    packets, samples : int
        Packets so far, and those among them that sampled a rate.
    sampling : bool
        The current packet samples ``sample_rate``; ``deferred``: at its second stage.
    failures : int
        Failed attempts of the current packet.
    """

    cdef RateStatistics* table
    cdef readonly int32_t count
    cdef readonly list sample_table        # rows; each column is a permutation of the rates
    cdef int32_t row
    cdef int32_t column
    cdef int64_t next_update
    cdef readonly int32_t best
    cdef readonly int32_t second
    cdef readonly int32_t safest
    cdef readonly int64_t packets
    cdef readonly int64_t samples
    cdef readonly int64_t deferred_samples
    cdef readonly bint sampling
    cdef readonly bint deferred
    cdef readonly int32_t sample_rate
    cdef readonly int32_t failures

    def __dealloc__(self):
        free(self.table)

    @property
    def probabilities(self):
        """Moving averages of the success probability, by rate."""
        return [self.table[i].probability / <double>CERTAIN for i in range(self.count)]

    @property
    def throughputs(self):
        """What rates are ordered by: probability (of 18000) times packets a second."""
        return [self.table[i].throughput for i in range(self.count)]

    @property
    def retry_counts(self):
        """Attempts that a packet has at each rate, at present."""
        return [self.table[i].allowed for i in range(self.count)]


cdef class MinstrelManager(AdaptiveManager):
    """Minstrel for rates without HT.

    Ten times a second the success probability of each rate is averaged (EWMA) and the rates are
    ordered by throughput. A packet goes through a chain: best throughput, second best, most
    probable, lowest. One packet in ten samples another rate, a slower one only after the best one
    failed.

    Source: F. Fietkau, D. Smithies, Minstrel (Linux mac80211, rc80211_minstrel; described at
    wireless.wiki.kernel.org); details as in ns-3's MinstrelWifiManager.

    Parameters
    ----------
    standard : str
    update_statistics : int
        Period, ns (ns-3: UpdateStatistics, 100 ms).
    look_around_rate : int
        Per cent of packets that sample (ns-3: LookAroundRate, 10).
    ewma : int
        Per cent of the old average in the new one (ns-3: EWMA, 75).
    sample_columns : int
        Random orders of sampling (ns-3: SampleColumn, 10).
    packet_length : int
        Nominal length, bytes (ns-3: PacketLength, 1200).
    stream : RandomStream, optional
        ``wifi/<node>/manager`` by default.
    group_mode, rts_mode : str, optional

    Notes
    -----
    ``current_rate`` and the trace ``rate`` leave sampled rates out, as ns-3's do. The chain, and
    not the MAC's retry limit, says how often a packet is repeated.
    """

    cdef readonly int64_t update_statistics
    cdef readonly int32_t look_around_rate
    cdef readonly int32_t ewma
    cdef readonly int32_t sample_columns
    cdef readonly int32_t packet_length
    cdef RandomStream stream

    def __init__(self, str standard="802.11a", *, update_statistics=100_000_000,
                 look_around_rate=10, ewma=75, sample_columns=10, packet_length=1200,
                 RandomStream stream=None, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.update_statistics = duration_of("update_statistics", update_statistics)
        self.look_around_rate = percentage("look_around_rate", look_around_rate)
        self.ewma = percentage("ewma", ewma)
        self.sample_columns = count_of("sample_columns", sample_columns)
        self.packet_length = count_of("packet_length", packet_length)
        self.stream = stream

    cdef int prepare(self) except -1:
        if self.stream is None:
            self.stream = self.sim.random.stream(f"wifi/{self.phy.node.id}/manager")
        return 0

    cdef RemoteStation new_station(self):
        cdef MinstrelStation peer = MinstrelStation.__new__(MinstrelStation)
        cdef int32_t i
        peer.count = self.top + 1
        peer.table = <RateStatistics*>calloc(peer.count, sizeof(RateStatistics))
        if peer.table == NULL:
            raise MemoryError(f"no memory for {peer.count} rates")
        peer.next_update = self.sim.now_ns + self.update_statistics
        self.make_sample_table(peer)
        for i in range(peer.count):
            peer.table[i].airtime = self.frame_duration(self.packet_length, self.vector(i))
            peer.table[i].retries = self.retries_within_segment(i)
            peer.table[i].allowed = peer.table[i].retries
            peer.table[i].samples_left = -1
        return peer

    cdef int make_sample_table(self, MinstrelStation peer) except -1:
        """Each rate once in each column, at a random row or the next free one after it."""
        cdef int32_t column, rate, row
        peer.sample_table = [[0] * self.sample_columns for _ in range(peer.count)]
        for column in range(self.sample_columns):
            for rate in range(peer.count):
                row = <int32_t>((rate + self.stream.integer_c(0, peer.count)) % peer.count)
                # Rate 0 leaves no mark, as in the Linux module.
                while <int>peer.sample_table[row][column] != 0:
                    row = (row + 1) % peer.count
                peer.sample_table[row][column] = rate
        return 0

    cdef int32_t retries_within_segment(self, int32_t rate) except -1:
        """How many attempts, with back-offs as the Linux module estimates them, fit in 6 ms."""
        cdef TxVector v = self.vector(rate)
        cdef TxVector ack = self.response_vector(v)
        cdef int64_t exchange = (
            self.frame_duration(self.packet_length, v) + self.phy.sifs
            + self.frame_duration(14, ack)
        )
        cdef double total = exchange
        cdef int32_t window = 31
        cdef int32_t tries
        for tries in range(1, MAX_RETRIES + 1):
            total += exchange + window / 2.0 * self.phy.slot
            window = min(1023, 2 * (window + 1))
            if tries > 1 and total > SEGMENT_NS:
                return tries - 1
        return MAX_RETRIES

    # A packet's way through the chain

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        cdef MinstrelStation peer = <MinstrelStation>self.station(receiver)
        cdef TxVector v = self.vector(peer.rate)
        if not peer.sampling:
            self.use(v)
        return v

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef MinstrelStation peer = <MinstrelStation>station
        cdef int32_t first = peer.best
        cdef int32_t second = peer.second
        cdef int32_t tries
        peer.failures += 1
        peer.table[peer.rate].attempts += 1
        if peer.sampling:
            if peer.deferred:
                second = peer.sample_rate
            else:
                first = peer.sample_rate
                second = peer.best
        tries = peer.table[first].allowed
        if peer.failures < tries:
            peer.rate = first
            return 0
        tries += peer.table[second].allowed
        if peer.failures <= tries:
            peer.rate = second
            return 0
        tries += peer.table[peer.safest].allowed
        peer.rate = peer.safest if peer.failures <= tries else 0
        return 0

    cdef bint wants_retry(self, RemoteStation station, bint normally) except -1:
        cdef MinstrelStation peer = <MinstrelStation>station
        cdef int32_t other = peer.sample_rate if peer.sampling else peer.second
        return peer.failures < (
            peer.table[peer.best].allowed + peer.table[other].allowed
            + peer.table[peer.safest].allowed + peer.table[0].allowed
        )

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef MinstrelStation peer = <MinstrelStation>station
        peer.table[peer.rate].successes += 1
        peer.table[peer.rate].attempts += 1
        return self.next_packet(peer)

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        return self.next_packet(<MinstrelStation>station)

    cdef int on_rts_given_up(self, RemoteStation station) except -1:
        (<MinstrelStation>station).failures = 0
        return 0

    cdef int next_packet(self, MinstrelStation peer) except -1:
        peer.packets += 1
        if peer.sampling and (
            not peer.deferred or peer.failures >= peer.table[peer.best].allowed
        ):
            peer.samples += 1
        if peer.deferred_samples > 0:
            peer.deferred_samples -= 1
        peer.sampling = False
        peer.deferred = False
        peer.failures = 0
        if self.sim.now_ns >= peer.next_update:
            self.update(peer)
        peer.rate = self.find_rate(peer)
        return 0

    cdef int32_t find_rate(self, MinstrelStation peer) except -1:
        """The rate that the next packet begins with."""
        cdef int64_t due = (
            peer.packets * self.look_around_rate // 100
            - (peer.samples + peer.deferred_samples // 2)
        )
        cdef int32_t rate
        cdef RateStatistics* chosen
        if due < 0:
            return peer.best
        if due > 2 * peer.count:
            # A backlog of samples that were not needed must not come in one burst.
            peer.samples += due - 2 * peer.count
        rate = self.next_sample(peer)
        peer.sample_rate = rate
        chosen = &peer.table[rate]
        if (
            chosen.airtime > peer.table[peer.best].airtime
            and chosen.skipped < SKIPPED_TOO_OFTEN
        ):
            peer.sampling = True
            peer.deferred = True
            peer.deferred_samples += 1
            return peer.best
        if chosen.samples_left == 0:
            return peer.best
        peer.sampling = True
        if chosen.samples_left > 0:
            chosen.samples_left -= 1
        return rate

    cdef int32_t next_sample(self, MinstrelStation peer) except -1:
        cdef int32_t rate = <int32_t>peer.sample_table[peer.row][peer.column]
        peer.row += 1
        # The last row is left out, as in the Linux module.
        if peer.row > peer.count - 2:
            peer.row = 0
            peer.column = (peer.column + 1) % self.sample_columns
        return rate

    cdef int update(self, MinstrelStation peer) except -1:
        cdef int32_t i
        cdef uint32_t probability, highest, safest
        cdef RateStatistics* one
        peer.next_update = self.sim.now_ns + self.update_statistics
        for i in range(peer.count):
            one = &peer.table[i]
            if one.attempts > 0:
                one.skipped = 0
                probability = <uint32_t>(one.successes * CERTAIN // one.attempts)
                if one.successes_before > 0:
                    probability = (
                        probability * (100 - self.ewma) + one.probability * self.ewma
                    ) // 100
                one.probability = probability
                one.throughput = probability * <uint32_t>(1_000_000 // (one.airtime // 1000))
            else:
                one.skipped += 1
            one.successes_before += one.successes
            one.successes = 0
            one.attempts = 0
            if one.probability > NEARLY_ALWAYS or one.probability < RARELY:
                if one.retries > FEW_RETRIES:
                    one.allowed = FEW_RETRIES
                one.samples_left = FEW_SAMPLES
            else:
                one.samples_left = -1
                one.allowed = one.retries
        peer.best = 0
        highest = 0
        for i in range(peer.count):
            if peer.table[i].throughput > highest:
                highest = peer.table[i].throughput
                peer.best = i
        peer.second = 0
        highest = 0
        for i in range(peer.count):
            if i != peer.best and peer.table[i].throughput > highest:
                highest = peer.table[i].throughput
                peer.second = i
        peer.safest = 0
        safest = 0
        for i in range(peer.count):
            one = &peer.table[i]
            if one.probability >= safest or (
                one.probability >= NEARLY_ALWAYS
                and one.throughput >= peer.table[peer.safest].throughput
            ):
                safest = one.probability
                peer.safest = i
        return 0


def percentage(str name, value):
    """The value, if it is a whole number from 0 to 100."""
    number = count_of(name, value, 0)
    if number > 100:
        raise ValueError(f"{name} is {number}: it must be at most 100 per cent")
    return number
