#!/bin/sh
# Tests truncated files of cities: cut at any token, a file is refused or gives the same instance. Lists of points
# without a count may end after any line, which no reader can detect.
# usage: test_cut_files.sh [FOLDER]     FOLDER holds the built examples; TAP
bin=${1:-${COMBGPU_BUILD:-build}/examples}
bin=$(cd "$bin" 2>/dev/null && pwd) || { echo "Bail out! no folder with built examples"; exit 2; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 - "$bin/combgpu" <<'END'
import concurrent.futures, json, re, subprocess, sys, tempfile, os

command = sys.argv[1]
folder = tempfile.TemporaryDirectory()
cases = "tests/data/cases/"


def read(path):
    with open(path, "rb") as file:
        return file.read()


three = "[[0, 5.5, 1], [7, 0, 4], [1, 6, 0]]"
valhalla = json.dumps({"sources_to_targets": [[{"from_index": i, "to_index": j, "time": 9 * i + 5 * j, "distance": 0.5}
                                               for j in range(2)] for i in range(2)]})
osrm = json.loads(read(cases + "m35_osrm.json"))
osrm = {"code": "Ok", "durations": [row[:3] for row in osrm["durations"][:3]], "sources": osrm["sources"][:3]}
overpass = {"elements": json.loads(read(cases + "j11_overpass.json"))["elements"][:3]}
geojson = json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"name": "A " + str(k)}, "geometry": {"type": "Point", "coordinates": [k, 2 * k]}}
    for k in range(3)]})
# name: (text, are its lines points without a count?)
files = {
    "GPX": (b'<?xml version="1.0"?>\n<!-- <x> -->\n<gpx><metadata/><wpt lat="1" lon="2"><name>A &amp; B</name></wpt>\n'
            b"<wpt lat='3' lon='2'><name><![CDATA[C <]]></name></wpt><wpt lat='4' lon='9'/></gpx>\n", 0),
    "GPX track": (b'<gpx><trk><name>T</name><trkseg><trkpt lat="1" lon="2"><ele>3</ele></trkpt><trkpt lat="3" lon="2"/>'
                  b'<trkpt lat="4" lon="5"/></trkseg></trk></gpx>', 0),
    "KML": (b'<?xml version="1.0"?><kml xmlns="u"><Document><Placemark><name>A</name><Point><coordinates>1,2,0</coordinates></Point>'
            b"</Placemark><Placemark><Point><coordinates>3,4</coordinates></Point></Placemark></Document></kml>", 0),
    "KML line": (b"<kml><Placemark><LineString><coordinates>1,2,0 3,4 5,6,0</coordinates></LineString></Placemark></kml>", 0),
    "GeoJSON": (geojson.encode(), 0),
    "Overpass": (json.dumps(overpass).encode(), 0),
    "objects": (json.dumps(json.loads(read(cases + "j14_objs.json"))[:3]).encode(), 0),
    "OSRM": (json.dumps(osrm).encode(), 0),
    "Valhalla": (valhalla.encode(), 0),
    "rows of JSON": (three.encode(), 0),
    "distances in a member": (b'{"matrix": ' + three.encode() + b', "depot": 0}', 0),
    "distances": (read(cases + "c00_matrix_small.txt"), 0),
    "distances, 3 x 3": (b"0 5 1\n1 0 4\n2 6 0\n", 0),
    "distances, 9999 on the diagonal": (b"9999 5 1\n1 9999 4\n2 6 9999\n", 0),
    "distances, CSV": (read(cases + "m32_matrix_csv.csv"), 0),
    "distances, empty cells": (b"a,b,c,d\n,5,1,7\n1,,4,8\n2,6,,9\n3,4,5,\n", 0),
    "distances, semicolons": (b";a;b;c\na;0;5,5;1\nb;7;0;4\nc;1;6;0\n", 0),
    "distances with names": (read(cases + "m34_matrix_hdr.csv"), 0),
    "distances with names of rows": (b"a 0 5 1\nb 7 0 4\nc 1 6 0\n", 0),
    "distances, names are numbers": (b",0,1,2\n0,0,5,1\n1,7,0,4\n2,1,6,0\n", 0),
    "distances, names x and y": (b",x,y,z\nx,0,5,1\ny,7,0,4\nz,1,6,0\n", 0),
    "pairs": (b"48.1 11.6\n50.9 6.9\n49.4 11.1\n", 1),
    "pairs with names": (b"48.1 11.6 A\n50.9 6.9 B\n49.4 11.1 C\n", 1),
    "pairs behind numbers": (b"1 48.1 11.6\n2 50.9 6.9\n3 49.4 11.1\n4 40 10\n", 1),
    "pairs, semicolons": (b"48,1;11,6;A\n50,9;6,9;B\n49,4;11,1;C\n", 1),
    "pairs behind names": (b"A,48.1,11.6\nB,50.9,6.9\nC,49.4,11.1\n", 1),
    "CSV": (read(cases + "c02_basic.csv"), 1),
    "CSV, lat first": (b"lat,lon,name\n48.1,11.6,A\n50.9,6.9,\"B, \"\"C\"\"\"\n49.4,11.1,D\n", 1),
    "CSV, quoted line breaks": (b'name,lat,lon\n"A\nB",48.1,11.6\n"C\nD",50.9,6.9\n"E\nF",49.4,11.1\n', 1),
    "CSV, semicolons": (read(cases + "c05_semi_deccomma_en.csv"), 1),
    "CSV, X and Y": (read(cases + "c08_xy_qgis.csv"), 1),
    "TSPLIB, distances": (b"NAME: a\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
                          b"EDGE_WEIGHT_SECTION\n0 5 1\n7 0 4\n1 6 0\nEOF\n", 0),
    "TSPLIB, points": (b"NAME: a\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\n"
                       b"4 0 4\nEOF\n", 0),
}


def solve(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "wb") as file:
        file.write(text)
    done = subprocess.run([command, "tsp", path, "--json", "--backend", "cpu", "--threads", "1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.remove(path)
    if done.returncode:
        return done.returncode
    result = json.loads(done.stdout)
    return result["n"], result["length"], result["tour"], result.get("read_as")


def cuts(text, lines):
    """The places behind tokens; of points in lines not those where a whole number of lines is left."""
    places = set()
    word = rb"[-+.,\w\x80-\xff]+" if b";" in text else rb"[-+.\w\x80-\xff]+"  # decimal commas
    for token in re.finditer(word + rb"|[^\s]", text):
        places.add(token.end())
    if lines:
        for quoted in re.finditer(rb'"(?:[^"]|"")*"', text):  # two quotes are one, not the end of a field
            places -= {p for p in range(quoted.start() + 2, quoted.end()) if text[p - 1:p] == b'"'}
        ends = [m.end() for m in re.finditer(rb'\n|"[^"]*"', text) if m.group() == b"\n"]
        places -= {p for end in [0] + ends for p in (end, end - 1, end - 2) if text[p:end].strip() == b""}
    return sorted(p for p in places if 0 < p < len(text))


number = failed = 0
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for name, (text, lines) in files.items():
        whole = solve("whole", text)
        places = cuts(text, lines)
        results = list(pool.map(lambda place: solve("cut%d" % place, text[:place]), places))
        wrong = [(p, r) for p, r in zip(places, results) if r != 2 and r != whole]
        good = isinstance(whole, tuple) and not wrong and len(places) > 2
        number += 1
        failed += not good
        print("%sok %d - %s: cut at %d tokens" % ("" if good else "not ", number, name, len(places)))
        for place, result in wrong[:5]:
            print("#   %r... gives %r, the whole %r" % (text[max(0, place - 40):place], result, whole))
        if not isinstance(whole, tuple):
            print("#   the whole file is refused")
print("1..%d" % number)
sys.exit(failed > 0)
END
