// SPDX-License-Identifier: GPL-2.0-only
//
// The hold model on ns-3's event loop: N events are pending, each schedules its successor after an exponential
// delay. Measures what the scheduler and the event objects cost. Prints one line of JSON.

#include "ns3/core-module.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

using namespace ns3;

namespace
{

uint64_t g_left;
uint64_t g_state;

/// Exponential delay of mean 1 ms in whole nanoseconds, from a generator cheap enough not to be what is measured.
inline Time
Delay()
{
    g_state ^= g_state << 13;
    g_state ^= g_state >> 7;
    g_state ^= g_state << 17;
    const double u = static_cast<double>((g_state >> 11) + 1) * 0x1p-53;
    return NanoSeconds(static_cast<int64_t>(-std::log(u) * 1e6));
}

void
Hold()
{
    Simulator::Schedule(Delay(), &Hold);
    if (--g_left == 0)
    {
        Simulator::Stop();
    }
}

double
CpuSeconds()
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t pending = 1000;
    uint64_t events = 1000000;
    uint64_t seed = 1;
    std::string scheduler = "Map";

    CommandLine cmd(__FILE__);
    cmd.AddValue("pending", "events pending at any time", pending);
    cmd.AddValue("events", "events measured, after twice as many as are pending to warm up", events);
    cmd.AddValue("scheduler", "Map, Heap, PriorityQueue, List or Calendar", scheduler);
    cmd.AddValue("seed", "seed of the delays", seed);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_UNLESS(pending > 0 && events > 0, "--pending and --events are at least 1");

    g_state = 0x9e3779b97f4a7c15ULL ^ (seed * 0xbf58476d1ce4e5b9ULL);
    ObjectFactory factory("ns3::" + scheduler + "Scheduler");
    Simulator::SetScheduler(factory);
    for (uint64_t i = 0; i < pending; ++i)
    {
        Simulator::Schedule(Delay(), &Hold);
    }
    g_left = 2 * pending;
    Simulator::Run();

    g_left = events;
    const double start = CpuSeconds();
    Simulator::Run();
    const double cpu = CpuSeconds() - start;
    std::printf("{\"pending\": %" PRIu64 ", \"scheduler\": \"%s\", \"events\": %" PRIu64
                ", \"ns_per_event\": %.2f, \"cpu_s\": %.4f}\n",
                pending,
                scheduler.c_str(),
                events,
                cpu / static_cast<double>(events) * 1e9,
                cpu);
    Simulator::Destroy();
    return 0;
}
