// SPDX-License-Identifier: GPL-2.0-only
//
// Ad hoc 802.11 nodes at fixed positions that forward UDP traffic along given paths: the layers below routing,
// measured in ns-3, to compare ours with. Prints one line of JSON. profiling/peers/README.md explains the fields.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3;

namespace
{

/// One source-routed-by-configuration UDP stream.
struct Flow
{
    std::vector<uint32_t> path; ///< nodes, source first
    int64_t intervalNs{0};
    uint32_t size{0}; ///< UDP payload, bytes
    int64_t startNs{0};
    int64_t stopNs{0};
    uint64_t sent{0};
    uint64_t received{0};
    uint64_t duplicates{0};
    int64_t lastSeq{-1};
    std::vector<int64_t> delays; ///< ns, one per packet received
};

/// What one station did.
struct Counters
{
    uint64_t data{0};       ///< unicast data PPDUs, all attempts
    uint64_t dataRetry{0};  ///< of these, with the Retry bit
    uint64_t group{0};      ///< group-addressed data PPDUs
    uint64_t rts{0};
    uint64_t cts{0};
    uint64_t ack{0};
    uint64_t ackTimeout{0};
    uint64_t ctsTimeout{0};
    uint64_t acked{0};
    uint64_t dropRetry{0};
    uint64_t dropExpired{0};
    uint64_t dropQueueFull{0};
    uint64_t dropStopped{0}; ///< refused above the device because its queue was full
    uint64_t rxOk{0};
    uint64_t rxError{0};
    std::map<int, uint64_t> rxDrop; ///< PHY drops by reason
};

std::vector<Flow> g_flows;
std::vector<Counters> g_counters;

/// Flow, number and send time ride on each packet without changing its size.
class FlowTag : public Tag
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("simcore::FlowTag").SetParent<Tag>().AddConstructor<FlowTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 20;
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU32(flow);
        buffer.WriteU64(static_cast<uint64_t>(sequence));
        buffer.WriteU64(static_cast<uint64_t>(sentNs));
    }

    void Deserialize(TagBuffer buffer) override
    {
        flow = buffer.ReadU32();
        sequence = static_cast<int64_t>(buffer.ReadU64());
        sentNs = static_cast<int64_t>(buffer.ReadU64());
    }

    void Print(std::ostream& os) const override
    {
        os << "flow " << flow << " packet " << sequence;
    }

    uint32_t flow{0};
    int64_t sequence{0};
    int64_t sentNs{0};
};

NS_OBJECT_ENSURE_REGISTERED(FlowTag);

std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

int64_t
ToNs(const std::string& seconds)
{
    return std::llround(std::stold(seconds) * 1e9L);
}

void
SendPacket(Ptr<Socket> socket, uint32_t index, int64_t sequence)
{
    Flow& flow = g_flows[index];
    FlowTag tag;
    tag.flow = index;
    tag.sequence = sequence;
    tag.sentNs = Simulator::Now().GetNanoSeconds();
    auto packet = Create<Packet>(flow.size);
    packet->AddByteTag(tag);
    socket->Send(packet);
    ++flow.sent;
    const int64_t next = flow.startNs + (sequence + 1) * flow.intervalNs;
    if (next < flow.stopNs)
    {
        Simulator::Schedule(NanoSeconds(next) - Simulator::Now(),
                            &SendPacket,
                            socket,
                            index,
                            sequence + 1);
    }
}

void
ReceivePacket(Ptr<Socket> socket)
{
    while (auto packet = socket->Recv())
    {
        FlowTag tag;
        NS_ABORT_MSG_UNLESS(packet->FindFirstMatchingByteTag(tag), "untagged packet");
        Flow& flow = g_flows[tag.flow];
        if (tag.sequence <= flow.lastSeq)
        {
            // The paths are fixed and the queues FIFO: an older number can only be a copy.
            ++flow.duplicates;
            continue;
        }
        flow.lastSeq = tag.sequence;
        ++flow.received;
        flow.delays.push_back(Simulator::Now().GetNanoSeconds() - tag.sentNs);
    }
}

void
OnPsdu(uint32_t node, WifiConstPsduMap psdus, WifiTxVector, double)
{
    Counters& c = g_counters[node];
    for (const auto& [sta, psdu] : psdus)
    {
        const WifiMacHeader& header = psdu->GetHeader(0);
        if (header.IsAck())
        {
            ++c.ack;
        }
        else if (header.IsRts())
        {
            ++c.rts;
        }
        else if (header.IsCts())
        {
            ++c.cts;
        }
        else if (header.GetAddr1().IsGroup())
        {
            ++c.group;
        }
        else
        {
            ++c.data;
            c.dataRetry += header.IsRetry() ? 1 : 0;
        }
    }
}

void
OnDropped(uint32_t node, WifiMacDropReason reason, Ptr<const WifiMpdu>)
{
    Counters& c = g_counters[node];
    switch (reason)
    {
    case WIFI_MAC_DROP_REACHED_RETRY_LIMIT:
        ++c.dropRetry;
        break;
    case WIFI_MAC_DROP_EXPIRED_LIFETIME:
        ++c.dropExpired;
        break;
    default:
        ++c.dropQueueFull;
    }
}

void
OnTimeout(uint32_t node, uint8_t reason, Ptr<const WifiMpdu>, const WifiTxVector&)
{
    ++(reason == WifiTxTimer::WAIT_CTS ? g_counters[node].ctsTimeout : g_counters[node].ackTimeout);
}

void
OnAcked(uint32_t node, Ptr<const WifiMpdu>)
{
    ++g_counters[node].acked;
}

void
OnStopped(uint32_t node, Ptr<const Packet>)
{
    ++g_counters[node].dropStopped;
}

void
OnRxOk(uint32_t node, Ptr<const Packet>, double, WifiMode, WifiPreamble)
{
    ++g_counters[node].rxOk;
}

void
OnRxError(uint32_t node, Ptr<const Packet>, double)
{
    ++g_counters[node].rxError;
}

void
OnRxDrop(uint32_t node, Ptr<const Packet>, WifiPhyRxfailureReason reason)
{
    ++g_counters[node].rxDrop[static_cast<int>(reason)];
}

double
Quantile(const std::vector<int64_t>& sorted, double q)
{
    if (sorted.empty())
    {
        return NAN;
    }
    // Nearest rank: the smallest value that at least q of the sample does not exceed.
    const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return static_cast<double>(sorted[std::max<size_t>(rank, 1) - 1]) * 1e-9;
}

void
PrintNumber(const char* name, double value)
{
    if (std::isnan(value))
    {
        std::printf("\"%s\": null, ", name);
    }
    else
    {
        std::printf("\"%s\": %.9g, ", name, value);
    }
}

void
Print(double cpu)
{
    std::printf("{\"flows\": [");
    for (size_t i = 0; i < g_flows.size(); ++i)
    {
        Flow& f = g_flows[i];
        std::sort(f.delays.begin(), f.delays.end());
        long double sum = 0;
        for (auto d : f.delays)
        {
            sum += d;
        }
        std::printf("%s{\"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"duplicates\": %" PRIu64
                    ", ",
                    i ? ", " : "",
                    f.sent,
                    f.received,
                    f.duplicates);
        PrintNumber("delay_mean_s",
                    f.delays.empty() ? NAN : static_cast<double>(sum / f.delays.size() * 1e-9L));
        PrintNumber("delay_min_s", Quantile(f.delays, 0));
        PrintNumber("delay_p50_s", Quantile(f.delays, 0.5));
        PrintNumber("delay_p95_s", Quantile(f.delays, 0.95));
        PrintNumber("delay_p99_s", Quantile(f.delays, 0.99));
        PrintNumber("delay_max_s", Quantile(f.delays, 1));
        std::printf("\"hops\": %zu}", f.path.size() - 1);
    }
    std::printf("], \"nodes\": [");
    for (size_t i = 0; i < g_counters.size(); ++i)
    {
        const Counters& c = g_counters[i];
        const std::pair<const char*, uint64_t> rows[] = {{"data", c.data},
                                                         {"data_retry", c.dataRetry},
                                                         {"group", c.group},
                                                         {"rts", c.rts},
                                                         {"cts", c.cts},
                                                         {"ack", c.ack},
                                                         {"ack_timeout", c.ackTimeout},
                                                         {"cts_timeout", c.ctsTimeout},
                                                         {"acked", c.acked},
                                                         {"drop_retry", c.dropRetry},
                                                         {"drop_expired", c.dropExpired},
                                                         {"drop_queue", c.dropQueueFull + c.dropStopped},
                                                         {"rx_ok", c.rxOk},
                                                         {"rx_error", c.rxError}};
        std::printf("%s{", i ? ", " : "");
        for (const auto& [name, value] : rows)
        {
            std::printf("\"%s\": %" PRIu64 ", ", name, value);
        }
        std::printf("\"rx_drop\": {");
        bool first = true;
        for (const auto& [reason, count] : c.rxDrop)
        {
            std::ostringstream name;
            name << static_cast<WifiPhyRxfailureReason>(reason);
            std::printf("%s\"%s\": %" PRIu64, first ? "" : ", ", name.str().c_str(), count);
            first = false;
        }
        std::printf("}}");
    }
    std::printf("], \"events\": %" PRIu64 ", \"cpu_s\": %.3f}\n", Simulator::GetEventCount(), cpu);
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string standard = "b";
    std::string dataMode = "DsssRate11Mbps";
    std::string controlMode = "DsssRate11Mbps";
    std::string groupMode = "DsssRate11Mbps";
    std::string positions = "0,0;200,0";
    std::string flows = "0-1:0.01:1000:1:11";
    std::string loss = "range:250";
    uint32_t rtsThreshold = 4692480;
    double lifetime = 0.5;
    bool arp = false;
    bool queueDisc = false;
    uint32_t seed = 1;
    uint64_t run = 1;
    double until = 12;

    CommandLine cmd(__FILE__);
    cmd.AddValue("standard", "b or a", standard);
    cmd.AddValue("dataMode", "rate of unicast data", dataMode);
    cmd.AddValue("controlMode", "rate of RTS", controlMode);
    cmd.AddValue("groupMode", "rate of group-addressed frames", groupMode);
    cmd.AddValue("positions", "x,y;x,y;... in metres", positions);
    cmd.AddValue("flows", "path:interval:size:start:stop;... path as 0-1-2, times in s", flows);
    cmd.AddValue("loss", "range:METRES or logdistance:EXPONENT:REFERENCE_LOSS_DB", loss);
    cmd.AddValue("rtsThreshold", "RTS/CTS for MPDUs longer than this, bytes", rtsThreshold);
    cmd.AddValue("lifetime", "how long a packet may stay in the MAC queue, seconds", lifetime);
    cmd.AddValue("arp", "resolve addresses by ARP (otherwise the caches are filled)", arp);
    cmd.AddValue("queueDisc", "keep the default queue disc above the device", queueDisc);
    cmd.AddValue("seed", "seed", seed);
    cmd.AddValue("run", "run number", run);
    cmd.AddValue("until", "simulated seconds", until);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_UNLESS(standard == "a" || standard == "b", "--standard is a or b");

    RngSeedManager::SetSeed(seed);
    RngSeedManager::SetRun(run);
    Config::SetDefault("ns3::WifiRemoteStationManager::NonUnicastMode", StringValue(groupMode));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rtsThreshold));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(lifetime)));

    auto places = CreateObject<ListPositionAllocator>();
    const auto points = Split(positions, ';');
    for (const auto& point : points)
    {
        const auto xy = Split(point, ',');
        NS_ABORT_MSG_UNLESS(xy.size() == 2, "bad position " << point);
        places->Add(Vector(std::stod(xy[0]), std::stod(xy[1]), 0));
    }
    NodeContainer nodes;
    nodes.Create(points.size());
    g_counters.resize(points.size());

    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);

    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    const auto lossParts = Split(loss, ':');
    if (lossParts[0] == "range")
    {
        channel.AddPropagationLoss("ns3::RangePropagationLossModel",
                                   "MaxRange",
                                   DoubleValue(std::stod(lossParts.at(1))));
    }
    else if (lossParts[0] == "logdistance")
    {
        channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                                   "Exponent",
                                   DoubleValue(std::stod(lossParts.at(1))),
                                   "ReferenceDistance",
                                   DoubleValue(1),
                                   "ReferenceLoss",
                                   DoubleValue(std::stod(lossParts.at(2))));
    }
    else
    {
        NS_ABORT_MSG("bad loss " << loss);
    }
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(standard == "a" ? WIFI_STANDARD_80211a : WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(dataMode),
                                 "ControlMode",
                                 StringValue(controlMode));
    auto devices = wifi.Install(phy, mac, nodes);

    InternetStackHelper internet;
    Ipv4StaticRoutingHelper staticRouting;
    internet.SetRoutingHelper(staticRouting);
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);
    Ipv4AddressHelper address("10.1.0.0", "255.255.0.0");
    auto interfaces = address.Assign(devices);
    if (!queueDisc)
    {
        TrafficControlHelper().Uninstall(devices);
    }
    if (!arp)
    {
        NeighborCacheHelper().PopulateNeighborCache();
    }

    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        auto wifiPhy = device->GetPhy();
        auto wifiMac = device->GetMac();
        wifiPhy->TraceConnectWithoutContext("PhyTxPsduBegin", MakeBoundCallback(&OnPsdu, i));
        wifiPhy->TraceConnectWithoutContext("PhyRxDrop", MakeBoundCallback(&OnRxDrop, i));
        wifiPhy->GetState()->TraceConnectWithoutContext("RxOk", MakeBoundCallback(&OnRxOk, i));
        wifiPhy->GetState()->TraceConnectWithoutContext("RxError", MakeBoundCallback(&OnRxError, i));
        wifiMac->TraceConnectWithoutContext("DroppedMpdu", MakeBoundCallback(&OnDropped, i));
        wifiMac->TraceConnectWithoutContext("MpduResponseTimeout", MakeBoundCallback(&OnTimeout, i));
        wifiMac->TraceConnectWithoutContext("AckedMpdu", MakeBoundCallback(&OnAcked, i));
        nodes.Get(i)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
            "TcDrop",
            MakeBoundCallback(&OnStopped, i));
        auto sink = Socket::CreateSocket(nodes.Get(i), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sink->SetRecvCallback(MakeCallback(&ReceivePacket));
    }

    std::map<std::pair<uint32_t, uint32_t>, uint32_t> routes; // (node, destination) -> next hop
    for (const auto& text : Split(flows, ';'))
    {
        const auto parts = Split(text, ':');
        NS_ABORT_MSG_UNLESS(parts.size() == 5, "bad flow " << text);
        Flow flow;
        for (const auto& hop : Split(parts[0], '-'))
        {
            flow.path.push_back(static_cast<uint32_t>(std::stoul(hop)));
            NS_ABORT_MSG_UNLESS(flow.path.back() < nodes.GetN(), "no such node in " << text);
        }
        NS_ABORT_MSG_UNLESS(flow.path.size() > 1, "a path needs two nodes: " << text);
        flow.intervalNs = ToNs(parts[1]);
        flow.size = static_cast<uint32_t>(std::stoul(parts[2]));
        flow.startNs = ToNs(parts[3]);
        flow.stopNs = ToNs(parts[4]);
        const auto destination = flow.path.back();
        for (size_t i = 0; i + 1 < flow.path.size(); ++i)
        {
            auto [it, fresh] = routes.try_emplace({flow.path[i], destination}, flow.path[i + 1]);
            NS_ABORT_MSG_UNLESS(it->second == flow.path[i + 1], "paths disagree at " << text);
            if (fresh)
            {
                staticRouting.GetStaticRouting(nodes.Get(flow.path[i])->GetObject<Ipv4>())
                    ->AddHostRouteTo(interfaces.GetAddress(destination),
                                     interfaces.GetAddress(flow.path[i + 1]),
                                     1);
            }
        }
        g_flows.push_back(flow);
    }
    for (uint32_t i = 0; i < g_flows.size(); ++i)
    {
        auto source = nodes.Get(g_flows[i].path.front());
        auto socket = Socket::CreateSocket(source, UdpSocketFactory::GetTypeId());
        socket->Bind();
        socket->Connect(InetSocketAddress(interfaces.GetAddress(g_flows[i].path.back()), 9));
        Simulator::ScheduleWithContext(source->GetId(),
                                       NanoSeconds(g_flows[i].startNs),
                                       &SendPacket,
                                       socket,
                                       i,
                                       int64_t{0});
    }

    Simulator::Stop(Seconds(until));
    Simulator::Run();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    Print(usage.ru_utime.tv_sec + usage.ru_utime.tv_usec * 1e-6 + usage.ru_stime.tv_sec +
          usage.ru_stime.tv_usec * 1e-6);
    Simulator::Destroy();
    return 0;
}
