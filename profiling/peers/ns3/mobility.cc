// SPDX-License-Identifier: GPL-2.0-only
//
// Where ns-3's mobility models put a node every few seconds, with given random streams, to compare ours with.
// Prints one line of JSON: for each case a list of [t, x, y].

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

struct Sample
{
    double t;
    double x;
    double y;
};

struct Case
{
    std::string name;
    Ptr<MobilityModel> model;
    std::vector<Sample> samples;
};

void
Look(Case* c)
{
    const Vector p = c->model->GetPosition();
    c->samples.push_back({Simulator::Now().GetSeconds(), p.x, p.y});
}

Ptr<RandomVariableStream>
MakeUniform(double low, double high)
{
    auto variable = CreateObject<UniformRandomVariable>();
    variable->SetAttribute("Min", DoubleValue(low));
    variable->SetAttribute("Max", DoubleValue(high));
    return variable;
}

Ptr<MobilityModel>
MakeWaypoint(int64_t stream, double pauseMax)
{
    auto places = CreateObject<RandomRectanglePositionAllocator>();
    places->SetX(MakeUniform(0, 300));
    places->SetY(MakeUniform(0, 1500));
    auto model = CreateObject<RandomWaypointMobilityModel>();
    model->SetAttribute("PositionAllocator", PointerValue(places));
    model->SetAttribute("Speed", PointerValue(MakeUniform(0, 20)));
    model->SetAttribute("Pause", PointerValue(MakeUniform(0, pauseMax)));
    model->AssignStreams(stream);
    model->SetPosition(Vector(150, 750, 0));
    return model;
}

Ptr<MobilityModel>
MakeWalk(int64_t stream, bool timed)
{
    auto model = CreateObject<RandomWalk2dMobilityModel>();
    model->SetAttribute("Bounds", RectangleValue(Rectangle(0, 100, 0, 60)));
    model->SetAttribute("Mode",
                        EnumValue(timed ? RandomWalk2dMobilityModel::MODE_TIME
                                        : RandomWalk2dMobilityModel::MODE_DISTANCE));
    model->SetAttribute("Time", TimeValue(Seconds(7)));
    model->SetAttribute("Distance", DoubleValue(35));
    model->AssignStreams(stream);
    model->SetPosition(Vector(50, 30, 0));
    return model;
}

} // namespace

int
main(int argc, char* argv[])
{
    int seed = 1;
    int run = 1;
    int duration = 300;
    int step = 3;
    CommandLine cmd(__FILE__);
    cmd.AddValue("seed", "seed of the random streams", seed);
    cmd.AddValue("run", "run number", run);
    cmd.AddValue("duration", "simulated seconds", duration);
    cmd.AddValue("step", "seconds between looks", step);
    cmd.Parse(argc, argv);
    RngSeedManager::SetSeed(seed);
    RngSeedManager::SetRun(run);

    std::vector<Case> cases;
    cases.push_back({"waypoint_pause_3", MakeWaypoint(10, 3.0), {}});
    cases.push_back({"waypoint_pause_60", MakeWaypoint(20, 60.0), {}});
    cases.push_back({"walk_time_7", MakeWalk(30, true), {}});
    cases.push_back({"walk_distance_35", MakeWalk(40, false), {}});

    for (auto& c : cases)
    {
        for (int t = step; t <= duration; t += step)
        {
            Simulator::Schedule(Seconds(t), &Look, &c);
        }
    }
    Simulator::Stop(Seconds(duration + 1));
    Simulator::Run();
    Simulator::Destroy();

    std::printf("{\"seed\": %d, \"run\": %d", seed, run);
    for (const auto& c : cases)
    {
        std::printf(", \"%s\": [", c.name.c_str());
        for (std::size_t i = 0; i < c.samples.size(); ++i)
        {
            const auto& s = c.samples[i];
            std::printf("%s[%g, %.9g, %.9g]", i ? ", " : "", s.t, s.x, s.y);
        }
        std::printf("]");
    }
    std::printf("}\n");
    return 0;
}
