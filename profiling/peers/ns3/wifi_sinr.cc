// SPDX-License-Identifier: GPL-2.0-only
//
// The probabilities that ns-3's InterferenceHelper gives for the parts of one PPDU among interferers: L-SIG, HT-SIG or
// SIG-A, and each MPDU of an A-MPDU, as PhyEntity asks for them with a Yans channel. Reads one case a line from stdin,
//
//     mode width_mhz gi_ns nss ldpc antennas model rss_dbm size,size,... dbm@start_ns+duration_ns,...
//
// ("-" without interferers; starts relative to that of the PPDU, sizes of MPDUs in bytes), and prints the case followed
// by the three results.

#include "ns3/core-module.h"
#include "ns3/interference-helper.h"
#include "ns3/nist-error-rate-model.h"
#include "ns3/packet.h"
#include "ns3/table-based-error-rate-model.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-phy-operating-channel.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-ppdu.h"
#include "ns3/wifi-psdu.h"
#include "ns3/wifi-tx-vector.h"
#include "ns3/wifi-utils.h"
#include "ns3/yans-error-rate-model.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

const Time START = MilliSeconds(100);
const WifiSpectrumBandInfo BAND{{{0, 0}}, {{Hz_u{0}, Hz_u{0}}}};

struct Case
{
    std::string mode, model, sizes, interferers;
    int width, gi, nss, ldpc, antennas;
    double rss;
};

std::vector<std::string>
Split(const std::string& text, char by)
{
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, by);)
    {
        parts.push_back(part);
    }
    return parts;
}

Ptr<ErrorRateModel>
Model(const std::string& name)
{
    if (name == "nist")
    {
        return CreateObject<NistErrorRateModel>();
    }
    if (name == "yans")
    {
        return CreateObject<YansErrorRateModel>();
    }
    return CreateObject<TableBasedErrorRateModel>();
}

Ptr<const WifiPpdu>
MakePpdu(const WifiTxVector& vector, uint64_t uid)
{
    WifiMacHeader header;
    header.SetType(WIFI_MAC_QOSDATA);
    header.SetQosTid(0);
    return Create<WifiPpdu>(Create<WifiPsdu>(Create<Packet>(0), header), vector, WifiPhyOperatingChannel(), uid);
}

void
Run(const Case& c)
{
    auto helper = CreateObject<InterferenceHelper>();
    helper->SetErrorRateModel(Model(c.model));
    helper->SetNoiseFigure(std::pow(10.0, 0.7));
    helper->SetNumberOfReceiveAntennas(c.antennas);
    helper->AddBand(BAND);

    const auto modulation = WifiMode(c.mode).GetModulationClass();
    WifiPreamble preamble = WIFI_PREAMBLE_LONG;
    WifiPpduField sig = WIFI_PPDU_FIELD_SIG_A;
    if (modulation == WIFI_MOD_CLASS_HT)
    {
        preamble = WIFI_PREAMBLE_HT_MF;
        sig = WIFI_PPDU_FIELD_HT_SIG;
    }
    else if (modulation == WIFI_MOD_CLASS_VHT)
    {
        preamble = WIFI_PREAMBLE_VHT_SU;
    }
    else if (modulation == WIFI_MOD_CLASS_HE)
    {
        preamble = WIFI_PREAMBLE_HE_SU;
    }
    WifiTxVector vector;
    vector.SetMode(WifiMode(c.mode));
    vector.SetPreambleType(preamble);
    vector.SetChannelWidth(MHz_u{static_cast<double>(c.width)});
    vector.SetGuardInterval(NanoSeconds(c.gi));
    vector.SetNss(c.nss);
    vector.SetLdpc(c.ldpc);
    vector.SetAggregation(modulation >= WIFI_MOD_CLASS_HT);

    // The windows of the MPDUs, relative to the start of the data field.
    std::vector<std::pair<Time, Time>> windows;
    const auto sizes = Split(c.sizes, ',');
    uint32_t total = 0;
    uint32_t psdu = 0;
    double symbols = 0.0;
    Time at;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        uint32_t size = std::stoul(sizes[i]);
        if (vector.IsAggregation())
        {
            size += 4;
            if (i + 1 < sizes.size())
            {
                size = (size + 3) / 4 * 4;
            }
        }
        psdu += size;
        MpduType type = MIDDLE_MPDU_IN_AGGREGATE;
        if (sizes.size() == 1)
        {
            type = vector.IsAggregation() ? SINGLE_MPDU : NORMAL_MPDU;
        }
        else if (i == 0)
        {
            type = FIRST_MPDU_IN_AGGREGATE;
        }
        else if (i + 1 == sizes.size())
        {
            type = LAST_MPDU_IN_AGGREGATE;
        }
        const Time duration =
            WifiPhy::GetPayloadDuration(size, vector, WIFI_PHY_BAND_5GHZ, type, true, total, symbols, SU_STA_ID);
        windows.emplace_back(at, at + duration);
        at += duration;
    }
    const Time duration = WifiPhy::CalculateTxDuration(psdu, vector, WIFI_PHY_BAND_5GHZ);

    Ptr<Event> event;
    const auto put = [&](double dbm, Time length, const WifiTxVector& how, uint64_t uid) {
        RxPowerWattPerChannelBand power;
        power.insert({BAND, DbmToW(dBm_u{dbm})});
        return helper->Add(MakePpdu(how, uid), length, power, WHOLE_WIFI_SPECTRUM);
    };
    Simulator::Schedule(START, [&]() {
        event = put(c.rss, duration, vector, 1);
        helper->NotifyRxStart(WHOLE_WIFI_SPECTRUM);
    });
    WifiTxVector legacy;
    legacy.SetMode(WifiMode("OfdmRate6Mbps"));
    legacy.SetPreambleType(WIFI_PREAMBLE_LONG);
    legacy.SetChannelWidth(MHz_u{20});
    uint64_t uid = 2;
    if (c.interferers != "-")
    {
        for (const auto& text : Split(c.interferers, ','))
        {
            double dbm;
            long long start;
            long long length;
            std::sscanf(text.c_str(), "%lf@%lld+%lld", &dbm, &start, &length);
            Simulator::Schedule(START + NanoSeconds(start),
                                [&put, dbm, length, legacy, id = uid++]() { put(dbm, NanoSeconds(length), legacy, id); });
        }
    }
    const double headerWidth = modulation >= WIFI_MOD_CLASS_HE && c.width >= 40 ? 20 : c.width;
    Simulator::Schedule(START + duration, [&]() {
        const auto header = [&](WifiPpduField field) {
            return 1.0 - helper->CalculatePhyHeaderSnrPer(event, MHz_u{headerWidth}, BAND, field).per;
        };
        std::printf("%s,%d,%d,%d,%d,%d,%s,%g,%s,%s,%.12g,",
                    c.mode.c_str(), c.width, c.gi, c.nss, c.ldpc, c.antennas, c.model.c_str(), c.rss,
                    // Commas separate columns here.
                    [&]() { auto s = c.sizes; std::replace(s.begin(), s.end(), ',', ' '); return s; }().c_str(),
                    [&]() { auto s = c.interferers; std::replace(s.begin(), s.end(), ',', ' '); return s; }().c_str(),
                    header(WIFI_PPDU_FIELD_NON_HT_HEADER));
        if (modulation >= WIFI_MOD_CLASS_HT)
        {
            std::printf("%.12g", header(sig));
        }
        std::printf(",");
        for (std::size_t i = 0; i < windows.size(); ++i)
        {
            const auto per =
                helper->CalculatePayloadSnrPer(event, MHz_u{static_cast<double>(c.width)}, BAND, SU_STA_ID, windows[i]).per;
            std::printf("%s%.12g", i ? " " : "", 1.0 - per);
        }
        std::printf("\n");
    });
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace

int
main()
{
    std::printf("mode,width_mhz,gi_ns,nss,ldpc,antennas,model,rss_dbm,mpdu_sizes,interferers,l_sig,sig,mpdus\n");
    for (std::string line; std::getline(std::cin, line);)
    {
        Case c;
        std::stringstream stream(line);
        stream >> c.mode >> c.width >> c.gi >> c.nss >> c.ldpc >> c.antennas >> c.model >> c.rss >> c.sizes >> c.interferers;
        Run(c);
    }
}
