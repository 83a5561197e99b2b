"""check-trace.py FILE DEVICE... [--tolerance US] : whether a trace of times.goldy's program has a
track for each device, and all parts of each run in order on them, within the run."""
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("devices", nargs="+")
parser.add_argument("--tolerance", type=float, default=200.0, help="of a device's clock to the host's, in us")
options = parser.parse_args()

events = json.load(open(options.file))["traceEvents"]
tracks = {e["args"]["name"]: e["tid"] for e in events if e["ph"] == "M"}
assert list(tracks) == ["host"] + [f"device {d}" for d in options.devices], tracks
spans = [e for e in events if e["ph"] == "X"]
runs = [e for e in spans if e["name"].startswith("run ")]
assert len(runs) == 2, runs
for run in runs:
    parts = [e for e in spans if e.get("args", {}).get("run") == run["name"]]
    names = [e["name"].split("_with_")[0] for e in parts if e["name"] != "move"]
    assert names == ["scale", "copy"] + ["bias"] * 20, names
    for event in parts:
        assert "times.goldy:" in event["args"]["source"], event
        assert event["ts"] >= run["ts"] - options.tolerance, (run, event)
        assert event["ts"] + event["dur"] <= run["ts"] + run["dur"] + options.tolerance, (run, event)
    for name, track in tracks.items():
        on = [e for e in parts if e["tid"] == track]
        assert on or name == "host", f"nothing on {name}"
        for before, after in zip(on, on[1:]):
            assert before["ts"] + before["dur"] <= after["ts"] + 0.002, (before, after)
