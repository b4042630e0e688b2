// SPDX-License-Identifier: GPL-2.0-only
//
// What a PHY of ns-3 (Yans, default thresholds) tells its MAC of signals put at its antenna by hand. Reads one case a
// line from stdin,
//
//     standard width_mhz mode:width_mhz:nss:size:dbm:start_ns ...
//
// (size in bytes of the only MPDU, starts in ns), and prints the case followed by the receptions, "start+duration" of
// payloads and "ok@time" or "error@time", and by the CCA and RX times merged, "from-to".

#include "ns3/core-module.h"
#include "ns3/he-ppdu.h"
#include "ns3/ht-ppdu.h"
#include "ns3/interference-helper.h"
#include "ns3/nist-error-rate-model.h"
#include "ns3/node.h"
#include "ns3/ofdm-ppdu.h"
#include "ns3/packet.h"
#include "ns3/threshold-preamble-detection-model.h"
#include "ns3/vht-ppdu.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-listener.h"
#include "ns3/wifi-psdu.h"
#include "ns3/wifi-utils.h"
#include "ns3/yans-wifi-phy.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

using namespace ns3;

namespace
{

class Listener : public WifiPhyListener
{
  public:
    std::string receptions;
    std::vector<std::pair<int64_t, int64_t>> busy;

    void Add(const char* what, int64_t extra = -1)
    {
        std::stringstream text;
        text << (receptions.empty() ? "" : " ") << what << "@" << Now();
        if (extra >= 0)
        {
            text << "+" << extra;
        }
        receptions += text.str();
    }

    static int64_t Now()
    {
        return Simulator::Now().GetNanoSeconds();
    }

    void Busy(Time duration)
    {
        busy.emplace_back(Now(), Now() + duration.GetNanoSeconds());
    }

    void NotifyRxStart(Time duration) override
    {
        Add("start", duration.GetNanoSeconds());
        Busy(duration);
    }

    void NotifyRxEndOk() override
    {
        Add("ok");
    }

    void NotifyRxEndError() override
    {
        Add("error");
    }

    void NotifyTxStart(Time, dBm_u) override
    {
    }

    void NotifyCcaBusyStart(Time duration, WifiChannelListType type, const std::vector<Time>&) override
    {
        if (type == WIFI_CHANLIST_PRIMARY)
        {
            Busy(duration);
        }
    }

    void NotifySwitchingStart(Time) override
    {
    }

    void NotifySleep() override
    {
    }

    void NotifyOff() override
    {
    }

    void NotifyWakeup() override
    {
    }

    void NotifyOn() override
    {
    }
};

const std::map<std::string, WifiStandard> STANDARDS = {
    {"802.11a", WIFI_STANDARD_80211a},
    {"802.11n", WIFI_STANDARD_80211n},
    {"802.11ac", WIFI_STANDARD_80211ac},
    {"802.11ax", WIFI_STANDARD_80211ax},
};

Ptr<WifiPpdu>
MakePpdu(const std::string& mode, int width, int nss, int size, const WifiPhyOperatingChannel& channel, uint64_t uid, Time& duration)
{
    WifiTxVector vector;
    vector.SetMode(WifiMode(mode));
    vector.SetChannelWidth(MHz_u{static_cast<double>(width)});
    vector.SetGuardInterval(NanoSeconds(800));
    vector.SetNss(nss);
    const auto modulation = vector.GetMode().GetModulationClass();
    vector.SetPreambleType(modulation == WIFI_MOD_CLASS_HT    ? WIFI_PREAMBLE_HT_MF
                           : modulation == WIFI_MOD_CLASS_VHT ? WIFI_PREAMBLE_VHT_SU
                           : modulation == WIFI_MOD_CLASS_HE  ? WIFI_PREAMBLE_HE_SU
                                                              : WIFI_PREAMBLE_LONG);
    WifiMacHeader header;
    header.SetType(WIFI_MAC_QOSDATA);
    header.SetQosTid(0);
    const auto overhead = header.GetSerializedSize() + 4;
    auto psdu = Create<const WifiPsdu>(Create<Packet>(size - overhead), header);
    duration = WifiPhy::CalculateTxDuration(psdu, vector, WIFI_PHY_BAND_5GHZ);
    switch (modulation)
    {
    case WIFI_MOD_CLASS_HT:
        return Create<HtPpdu>(psdu, vector, channel, duration, uid);
    case WIFI_MOD_CLASS_VHT:
        return Create<VhtPpdu>(psdu, vector, channel, duration, uid);
    case WIFI_MOD_CLASS_HE:
        return Create<HePpdu>(psdu, vector, channel, duration, uid);
    default:
        return Create<OfdmPpdu>(psdu, vector, channel, uid);
    }
}

void
Run(const std::string& line)
{
    std::stringstream stream(line);
    std::string standard;
    int width;
    stream >> standard >> width;
    auto node = CreateObject<Node>();
    auto device = CreateObject<WifiNetDevice>();
    auto phy = CreateObject<YansWifiPhy>();
    phy->SetInterferenceHelper(CreateObject<InterferenceHelper>());
    phy->SetErrorRateModel(CreateObject<NistErrorRateModel>());
    phy->SetPreambleDetectionModel(CreateObject<ThresholdPreambleDetectionModel>());
    phy->SetDevice(device);
    device->SetStandard(STANDARDS.at(standard));
    phy->SetOperatingChannel(WifiPhy::ChannelTuple{0, width, WIFI_PHY_BAND_5GHZ, 0});
    phy->ConfigureStandard(STANDARDS.at(standard));
    device->SetPhy(phy);
    node->AddDevice(device);
    auto listener = std::make_shared<Listener>();
    phy->RegisterListener(listener);
    uint64_t uid = 0;
    for (std::string text; stream >> text;)
    {
        std::replace(text.begin(), text.end(), ':', ' ');
        std::stringstream fields(text);
        std::string mode;
        int ppduWidth;
        int nss;
        int size;
        double dbm;
        long long start;
        fields >> mode >> ppduWidth >> nss >> size >> dbm >> start;
        Time duration;
        Ptr<WifiPpdu> ppdu = MakePpdu(mode, ppduWidth, nss, size, phy->GetOperatingChannel(), uid++, duration);
        Simulator::Schedule(NanoSeconds(start), [phy, ppdu, dbm, duration]() {
            RxPowerWattPerChannelBand power;
            power.insert({{{{0, 0}}, {{Hz_u{0}, Hz_u{0}}}}, DbmToW(dBm_u{dbm})});
            phy->StartReceivePreamble(ppdu, power, duration);
        });
    }
    Simulator::Run();
    std::vector<std::pair<int64_t, int64_t>> merged;
    std::sort(listener->busy.begin(), listener->busy.end());
    for (const auto& [from, to] : listener->busy)
    {
        if (to <= from)
        {
            continue;
        }
        if (!merged.empty() && from <= merged.back().second)
        {
            merged.back().second = std::max(merged.back().second, to);
        }
        else
        {
            merged.emplace_back(from, to);
        }
    }
    std::printf("%s,%s,", line.c_str(), listener->receptions.c_str());
    for (std::size_t i = 0; i < merged.size(); ++i)
    {
        std::printf("%s%lld-%lld", i ? " " : "", static_cast<long long>(merged[i].first), static_cast<long long>(merged[i].second));
    }
    std::printf("\n");
    phy->Dispose();
    node->Dispose();
    Simulator::Destroy();
}

} // namespace

int
main()
{
    std::printf("case,receptions,busy\n");
    for (std::string line; std::getline(std::cin, line);)
    {
        Run(line);
    }
}
