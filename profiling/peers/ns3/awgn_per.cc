// SPDX-License-Identifier: GPL-2.0-only
//
// The packet error rates that ns-3's table-based error model gives, every 0.01 dB from -15 to 50 dB, by coding,
// frame size and MCS. Prints one line of JSON; make_per_tables.py reduces it.

#include "ns3/core-module.h"
#include "ns3/he-phy.h"
#include "ns3/table-based-error-rate-model.h"
#include "ns3/wifi-tx-vector.h"

#include <cmath>
#include <cstdio>

using namespace ns3;

namespace
{

constexpr int FIRST_STEP = -1500;
constexpr int LAST_STEP = 5000;

struct Curves
{
    const char* coding;
    bool ldpc;
    int size;         // bytes, the size that the table is for
    int multiple;     // of the size: a longer frame that still uses the same table
    int mcsCount;
};

double
PacketErrorRate(Ptr<ErrorRateModel> model, const WifiTxVector& vector, double snr, const Curves& curves)
{
    const auto success = [&](int bytes) {
        return model->GetChunkSuccessRate(vector.GetMode(), vector, snr, 8 * bytes);
    };
    const double short_ = success(curves.size);
    if (short_ < 1.0)
    {
        return 1.0 - short_;
    }
    // The model gives rates below 1e-5 as 0; a longer frame shows them.
    const double long_ = success(curves.size * curves.multiple);
    return -std::expm1(std::log(long_) / curves.multiple);
}

} // namespace

int
main()
{
    auto model = CreateObject<TableBasedErrorRateModel>();
    const Curves all[] = {{"BCC", false, 32, 12, 10},
                          {"BCC", false, 1458, 1000, 10},
                          {"LDPC", true, 1458, 1000, 12}};
    std::printf("{\"first_step\": %d, \"steps_per_db\": 100, \"curves\": [", FIRST_STEP);
    const char* separator = "";
    for (const auto& curves : all)
    {
        for (int mcs = 0; mcs < curves.mcsCount; mcs++)
        {
            WifiTxVector vector;
            vector.SetMode(HePhy::GetHeMcs(mcs));
            vector.SetPreambleType(WIFI_PREAMBLE_HE_SU);
            vector.SetChannelWidth(20);
            vector.SetGuardInterval(NanoSeconds(800));
            vector.SetNss(1);
            vector.SetLdpc(curves.ldpc);
            std::printf("%s{\"coding\": \"%s\", \"size_bytes\": %d, \"mcs\": %d, \"per\": [",
                        separator, curves.coding, curves.size, mcs);
            separator = ", ";
            for (int step = FIRST_STEP; step <= LAST_STEP; step++)
            {
                const double per = PacketErrorRate(model, vector, std::pow(10.0, step / 1000.0), curves);
                std::printf("%s%.12g", step == FIRST_STEP ? "" : ", ", per);
            }
            std::printf("]}");
        }
    }
    std::printf("]}\n");
    return 0;
}
