// SPDX-License-Identifier: GPL-2.0-only
//
// The scenario of ns-3's own dsr example, with everything that it fixes as an option and with counters.
// Objects that own random streams are created in the order of that example (devices, mobility, protocols,
// applications), so that seed 10 and run 1 give the same simulation event for event. Prints one line of JSON.
// Attributes are options too: --ns3::dsr::DsrRouting::CacheType=PathCache.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/dsr-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// When a packet was sent, and its number in its stream.
struct Sent
{
    int64_t timeNs;
    uint32_t number;
};

std::unordered_map<uint64_t, Sent> g_sent;
std::vector<uint32_t> g_streamSent;
std::unordered_set<uint64_t> g_seen;
std::set<std::pair<uint32_t, uint32_t>> g_seenByHop;
std::vector<int64_t> g_delays;
uint64_t g_received;
uint64_t g_receivedBytes;
uint64_t g_phyTx;
uint64_t g_phyRxEnd;
uint64_t g_phyRxDrop;
uint64_t g_data;
uint64_t g_dataRetry;
uint64_t g_group;
uint64_t g_ack;
uint64_t g_macDrop;
uint64_t g_arpDrop;

void
OnSend(uint32_t stream, Ptr<const Packet> packet)
{
    g_sent[packet->GetUid()] = {Simulator::Now().GetNanoSeconds(), g_streamSent[stream]++};
}

void
OnReceive(Ptr<const Packet> packet, const Address& from)
{
    ++g_received;
    g_receivedBytes += packet->GetSize();
    const auto sent = g_sent.find(packet->GetUid());
    NS_ABORT_MSG_IF(sent == g_sent.end(), "a packet that no stream sent");
    // The IP source that ns-3's DSR shows to the sink is the last hop, not the origin.
    g_seenByHop.emplace(InetSocketAddress::ConvertFrom(from).GetIpv4().Get(), sent->second.number);
    // Copies keep the identity of the packet: a second arrival is a retransmission by DSR.
    if (g_seen.insert(packet->GetUid()).second)
    {
        g_delays.push_back(Simulator::Now().GetNanoSeconds() - sent->second.timeNs);
    }
}

void
OnPhyTx(Ptr<const Packet> packet, double)
{
    ++g_phyTx;
    WifiMacHeader header;
    packet->PeekHeader(header);
    if (header.IsAck())
    {
        ++g_ack;
    }
    else if (header.IsData() && header.GetAddr1().IsGroup())
    {
        ++g_group;
    }
    else if (header.IsData())
    {
        ++g_data;
        g_dataRetry += header.IsRetry() ? 1 : 0;
    }
}

void
OnPhyRxEnd(Ptr<const Packet>)
{
    ++g_phyRxEnd;
}

void
OnPhyRxDrop(Ptr<const Packet>, WifiPhyRxfailureReason)
{
    ++g_phyRxDrop;
}

void
OnMacDrop(WifiMacDropReason, Ptr<const WifiMpdu>)
{
    ++g_macDrop;
}

void
OnArpDrop(Ptr<const Packet>)
{
    ++g_arpDrop;
}

double
Quantile(double q)
{
    if (g_delays.empty())
    {
        return 0;
    }
    const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(g_delays.size())));
    return static_cast<double>(g_delays[std::max<size_t>(rank, 1) - 1]) * 1e-9;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t nodes = 50;
    uint32_t sinks = 10;
    uint32_t packetSize = 64;
    std::string rate = "0.512kbps";
    double nodeSpeed = 20;
    double pauseTime = 0;
    double txRange = 250;
    double width = 300;
    double height = 1500;
    double dataStart = 100;
    double dataStop = 500;
    double totalTime = 600;
    std::string dataMode = "DsssRate11Mbps";
    bool trace = false;
    bool arp = true;
    std::string protocol = "dsr";
    uint32_t seed = 10;
    uint64_t run = 1;

    CommandLine cmd(__FILE__);
    cmd.AddValue("nodes", "number of nodes", nodes);
    cmd.AddValue("sinks", "number of streams", sinks);
    cmd.AddValue("packetSize", "bytes of UDP payload", packetSize);
    cmd.AddValue("rate", "rate of a stream", rate);
    cmd.AddValue("nodeSpeed", "largest speed, m/s", nodeSpeed);
    cmd.AddValue("pauseTime", "pause at a waypoint, s", pauseTime);
    cmd.AddValue("txRange", "range, m", txRange);
    cmd.AddValue("width", "x extent, m", width);
    cmd.AddValue("height", "y extent, m", height);
    cmd.AddValue("dataStart", "start of the first stream, s", dataStart);
    cmd.AddValue("dataStop", "end of the first stream, s", dataStop);
    cmd.AddValue("totalTime", "simulated seconds", totalTime);
    cmd.AddValue("dataMode", "rate of all frames", dataMode);
    cmd.AddValue("trace", "write ns-3's ascii PHY trace to dsr.tr", trace);
    cmd.AddValue("arp", "resolve addresses by ARP (otherwise the caches are filled)", arp);
    cmd.AddValue("protocol", "dsr, or none: the movements and traffic without routing", protocol);
    cmd.AddValue("seed", "seed", seed);
    cmd.AddValue("run", "run number", run);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_UNLESS(sinks <= nodes, "more streams than nodes");
    NS_ABORT_MSG_UNLESS(protocol == "dsr" || protocol == "none", "--protocol is dsr or none");

    RngSeedManager::SetSeed(seed);
    RngSeedManager::SetRun(run);
    Config::SetDefault("ns3::WifiRemoteStationManager::NonUnicastMode", StringValue(dataMode));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(2200));
    Config::SetDefault("ns3::WifiRemoteStationManager::FragmentationThreshold", UintegerValue(2200));

    NodeContainer stations;
    stations.Create(nodes);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(txRange));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(dataMode),
                                 "ControlMode",
                                 StringValue(dataMode));
    auto devices = wifi.Install(phy, mac, stations);
    if (trace)
    {
        phy.EnableAsciiAll(AsciiTraceHelper().CreateFileStream("dsr.tr"));
    }

    auto uniform = [](double max) {
        std::ostringstream text;
        text << "ns3::UniformRandomVariable[Min=0.0|Max=" << max << "]";
        return StringValue(text.str());
    };
    MobilityHelper mobility; // its default allocator takes two streams: it must come before ours
    ObjectFactory area("ns3::RandomRectanglePositionAllocator");
    area.Set("X", uniform(width));
    area.Set("Y", uniform(height));
    auto places = area.Create<PositionAllocator>();
    std::ostringstream pause;
    pause << "ns3::ConstantRandomVariable[Constant=" << pauseTime << "]";
    mobility.SetMobilityModel("ns3::RandomWaypointMobilityModel",
                              "Speed",
                              uniform(nodeSpeed),
                              "Pause",
                              StringValue(pause.str()),
                              "PositionAllocator",
                              PointerValue(places));
    mobility.Install(stations);

    InternetStackHelper internet;
    internet.Install(stations);
    if (protocol == "dsr")
    {
        DsrHelper dsr;
        DsrMainHelper installer;
        installer.Install(dsr, stations);
    }
    Ipv4AddressHelper address("10.1.1.0", "255.255.255.0");
    auto interfaces = address.Assign(devices);
    if (!arp)
    {
        NeighborCacheHelper().PopulateNeighborCache();
    }

    const uint16_t port = 9;
    g_streamSent.resize(sinks);
    for (uint32_t i = 0; i < sinks; ++i)
    {
        PacketSinkHelper sinkHelper("ns3::UdpSocketFactory",
                                    InetSocketAddress(Ipv4Address::GetAny(), port));
        auto sink = sinkHelper.Install(stations.Get(i));
        sink.Start(Seconds(0));
        sink.Stop(Seconds(totalTime));
        sink.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&OnReceive));

        OnOffHelper source("ns3::UdpSocketFactory",
                           InetSocketAddress(interfaces.GetAddress(i), port));
        source.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1.0]"));
        source.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0.0]"));
        source.SetAttribute("PacketSize", UintegerValue(packetSize));
        source.SetAttribute("DataRate", DataRateValue(DataRate(rate)));
        auto installed = source.Install(stations.Get(nodes - sinks + i));
        const double offset = i * (1.0 / sinks);
        installed.Start(Seconds(dataStart + offset));
        installed.Stop(Seconds(dataStop + offset));
        installed.Get(0)->TraceConnectWithoutContext("Tx", MakeBoundCallback(&OnSend, i));
    }

    for (uint32_t i = 0; i < nodes; ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&OnPhyTx));
        device->GetPhy()->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&OnPhyRxEnd));
        device->GetPhy()->TraceConnectWithoutContext("PhyRxDrop", MakeCallback(&OnPhyRxDrop));
        device->GetMac()->TraceConnectWithoutContext("DroppedMpdu", MakeCallback(&OnMacDrop));
        auto arpProtocol = stations.Get(i)->GetObject<ArpL3Protocol>();
        arpProtocol->TraceConnectWithoutContext("Drop", MakeCallback(&OnArpDrop));
        auto ip = stations.Get(i)->GetObject<Ipv4L3Protocol>();
        auto cache = ip->GetInterface(ip->GetInterfaceForDevice(device))->GetArpCache();
        cache->TraceConnectWithoutContext("Drop", MakeCallback(&OnArpDrop));
    }

    Simulator::Stop(Seconds(totalTime));
    Simulator::Run();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);

    std::sort(g_delays.begin(), g_delays.end());
    long double sum = 0;
    for (const auto delay : g_delays)
    {
        sum += delay;
    }
    const auto unique = g_delays.size();
    const std::pair<const char*, uint64_t> counts[] = {{"tx_packets", g_sent.size()},
                                                       {"rx_copies", g_received},
                                                       {"rx_packets", unique},
                                                       {"rx_by_last_hop", g_seenByHop.size()},
                                                       {"rx_bytes", g_receivedBytes},
                                                       {"phy_tx", g_phyTx},
                                                       {"phy_rx_end", g_phyRxEnd},
                                                       {"phy_rx_drop", g_phyRxDrop},
                                                       {"mac_data_tx", g_data},
                                                       {"mac_retries", g_dataRetry},
                                                       {"mac_group_tx", g_group},
                                                       {"mac_ack_tx", g_ack},
                                                       {"mac_drops", g_macDrop},
                                                       {"arp_drops", g_arpDrop},
                                                       {"events", Simulator::GetEventCount()}};
    std::printf("{");
    for (const auto& [name, value] : counts)
    {
        std::printf("\"%s\": %" PRIu64 ", ", name, value);
    }
    std::printf("\"delivery_ratio\": %.6f, \"mean_delay_ms\": %.6f, \"p95_delay_ms\": %.6f, "
                "\"max_delay_ms\": %.6f, \"cpu_s\": %.3f}\n",
                g_sent.empty() ? 0.0 : static_cast<double>(unique) / g_sent.size(),
                unique ? static_cast<double>(sum / unique * 1e-6L) : 0.0,
                Quantile(0.95) * 1e3,
                Quantile(1) * 1e3,
                usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6 + usage.ru_stime.tv_sec +
                    usage.ru_stime.tv_usec * 1e-6);
    Simulator::Destroy();
    return 0;
}
