cimport cython
from libc.stdint cimport int64_t


# Ordered as in the standard's history; code compares with `>=` ("OFDM or later").
cdef enum ModulationClass:
    MOD_DSSS = 0      # 802.11-2020 clause 15
    MOD_HR_DSSS = 1   # clause 16
    MOD_OFDM = 2      # clause 17
    MOD_ERP_OFDM = 3  # clause 18
    MOD_HT = 4        # clause 19
    MOD_VHT = 5       # clause 21
    MOD_HE = 6        # 802.11ax-2021 clause 27
    MOD_EHT = 7       # 802.11be-2024 clause 36


@cython.final
cdef class WifiMode:
    cdef readonly str name
    cdef readonly int uid                # 0 .. mode_count() - 1, for tables indexed by mode
    cdef ModulationClass modulation
    cdef readonly int mcs                # -1 below HT
    cdef readonly int constellation_size
    cdef readonly int bits_per_symbol    # coded bits per subcarrier; 0 for DSSS
    cdef readonly int code_rate_num
    cdef readonly int code_rate_den
    cdef readonly int base_width_mhz     # the width that the name implies; 20 from HT on
    cdef readonly int streams            # HT: given by the MCS index; otherwise 1
    cdef int64_t base_rate_bps           # below HT: the rate in the mode's name; otherwise 0

    cdef int64_t rate(self, int width_mhz, int gi_ns, int nss) noexcept
    cdef int64_t symbol_ns(self, int gi_ns) noexcept
    cdef int64_t data_bits_per_symbol(self, int width_mhz, int nss) noexcept
    cdef int encoders(self, int width_mhz, int nss) noexcept


cdef WifiMode mode_at(int uid)
cdef WifiMode find_mode(str name)
