"""web.py BROWSER PAGE PICTURES: clicks through the page in a headless Chromium; TAP. The browser is driven through a
pipe, by the DevTools protocol. PICTURES is a folder for screenshots, in three sizes, light and dark; "" takes none."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time

PATIENCE = 120  # seconds, for a machine that does other things, too


class Browser:
    def __init__(self, program, page):
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        # the browser reads file descriptor 3 and writes to 4, whatever has these numbers here
        def ends():
            os.dup2(to_browser, 63), os.dup2(from_browser, 64)
            os.dup2(63, 3), os.dup2(64, 4)

        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + self.folder.name, "about:blank"]
        self.process = subprocess.Popen(command, preexec_fn=ends, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(from_browser)
        self.number, self.buffer, self.errors, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.requests = []
        self.page = "file://" + os.path.abspath(page)

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.back, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            if got.get("method") == "Runtime.exceptionThrown":
                details = got["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            if got.get("method") == "Log.entryAdded" and got["params"]["entry"]["level"] == "error":
                self.errors.append(got["params"]["entry"]["text"])
            if got.get("method") == "Network.requestWillBeSent":
                self.requests.append(got["params"]["request"]["url"])

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def open(self, part="tours"):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=self.page + "#" + part)
        self.wait("document.readyState == 'complete'")

    def wait(self, condition, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({condition})"):
                    return True
            except RuntimeError:
                pass  # between two pages
            time.sleep(0.02)
        return False

    def text(self, id):
        return self.run(f"document.getElementById('{id}').textContent")

    def place(self, selector):
        return self.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const b = e.getBoundingClientRect();
            return [b.left, b.top, b.width, b.height]; }})()""")

    def mouse(self, x, y, kinds=("mousePressed", "mouseReleased")):
        for kind in kinds:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, buttons=1)

    def click(self, selector):
        left, top, width, height = self.place(selector)
        self.mouse(left + width / 2, top + height / 2)

    def key(self, name, text=""):
        code = {"Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "Delete": 46, "Tab": 9}.get(name, 0)
        if name == "Enter":
            text = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)

    def type(self, selector, text):
        self.click(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, value):
        self.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};
            e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")

    def drop(self, name, text):
        """Drops a file on the map."""
        self.run(f"""(() => {{ const d = new DataTransfer(); d.items.add(new File([{json.dumps(text)}], {json.dumps(name)}));
            document.getElementById('map').dispatchEvent(new DragEvent('drop', {{dataTransfer: d, bubbles: true, cancelable: true}})); }})()""")

    def size(self, width, height, phone, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as to:
            to.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(timeout=20)
        self.folder.cleanup()


points, failed = 0, 0


def ok(good, name, seen=""):
    global points, failed
    points += 1
    failed += not good
    print(f"{'' if good else 'not '}ok {points} - {name}" + ("" if good else f"\n# {seen!r}"), flush=True)


def proven(b):
    good = b.wait("document.getElementById('tour-state').textContent.startsWith('Proven')")
    return good and b.text("tour-gap") == "0" and b.text("tour-bound") == b.text("tour-length")


def tours(b):
    b.open()
    left, top, width, height = b.place("#map")
    for x, y in ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)):
        b.mouse(left + x * width, top + y * height)
    ok(b.wait("document.getElementById('tour-n').textContent == '4'") and proven(b), "four clicks: a proven tour",
       b.text("tour-state"))
    square = b.text("tour-length")
    b.mouse(left + 0.7 * width, top + 0.7 * height, ("mousePressed",))
    for step in range(1, 6):
        b.mouse(left + (0.7 + 0.03 * step) * width, top + 0.7 * height, ("mouseMoved",))
    b.mouse(left + 0.85 * width, top + 0.7 * height, ("mouseReleased",))
    ok(proven(b) and b.text("tour-n") == "4" and b.text("tour-length") != square, "a city is dragged", b.text("tour-length"))
    b.click("#tour-random")
    ok(b.wait("document.getElementById('tour-n').textContent == '40'") and proven(b), "40 cities at random", b.text("tour-state"))
    took = b.text("tour-state").rsplit("took ", 1)[-1]
    print(f"# 40 cities: {took}")
    b.type("#tour-count", "120")
    b.click("#tour-random")
    ok(b.wait("document.getElementById('tour-n').textContent == '120'") and proven(b), "120 cities at random", b.text("tour-state"))
    b.click("#tour-clear")
    b.run("document.getElementById('map').focus()")
    for keys in (("ArrowRight", "Enter"), ("ArrowDown", "Enter"), ("ArrowLeft", "Enter")):
        for key in keys:
            b.key(key)
    ok(b.wait("document.getElementById('tour-n').textContent == '3'") and proven(b), "cities by the keyboard", b.text("tour-n"))
    b.click("#tour-europe")
    ok(b.wait("document.getElementById('tour-n').textContent == '40'") and proven(b), "forty cities of Europe", b.text("tour-state"))
    length = b.text("tour-length")
    b.choose("#tour-shape", "3")
    ok(b.wait(f"document.getElementById('tour-length').textContent != {json.dumps(length)}") and proven(b), "a path from the first to the last")
    b.choose("#tour-shape", "0")
    ok(proven(b) and b.text("tour-length") == length, "and the round trip again")


def files(b):
    b.open()
    gpx = "".join(f'<wpt lat="{lat}" lon="{lon}"><name>{name}</name></wpt>' for name, lat, lon in
                  (("Bern", 46.95, 7.45), ("Genève", 46.2, 6.15), ("Basel", 47.56, 7.59), ("Chur", 46.85, 9.53)))
    b.drop("ways.gpx", f'<gpx version="1.1">{gpx}</gpx>')
    ok(b.wait("document.getElementById('tour-n').textContent == '4'") and proven(b) and "km" in b.text("tour-length"), "a GPX file",
       b.text("tour-state"))
    b.run("document.getElementById('tour-order').open = true")
    ok(b.wait("document.querySelectorAll('#tour-order li').length == 4") and "Genève" in b.text("tour-order"), "names in the order of the visits")
    with open("tests/data/tsplib/gr17.tsp") as file:
        b.drop("gr17.tsp", file.read())
    ok(b.wait("document.getElementById('tour-n').textContent == '17'") and proven(b) and b.text("tour-length") == "2,085", "gr17: 2085",
       b.text("tour-length"))
    b.drop("points.csv", "name,x,y\nA,0,0\nB,0,3\nC,4,3\nD,4,0\n")
    ok(b.wait("document.getElementById('tour-n').textContent == '4'") and proven(b) and b.text("tour-length") == "14", "CSV: 3 by 4",
       b.text("tour-length"))
    b.drop("wrong.csv", "name,x,y\nA,0,0\nB,zero,3\n")
    ok(b.wait("document.getElementById('tour-state').className.includes('bad')") and "wrong.csv" in b.text("tour-state")
       and "line 3" in b.text("tour-state"), "a wrong line is named", b.text("tour-state"))
    many = "x,y\n" + "".join(f"{i * 7919 % 10007},{i * 104729 % 9973}\n" for i in range(4000))
    b.drop("many.csv", many)
    ok(b.wait("document.getElementById('tour-gap').textContent.endsWith('%')"), "4000 cities: a tour, a bound and a gap while it runs",
       b.text("tour-gap"))
    b.click("#tour-go")
    ok(b.wait("document.getElementById('tour-state').textContent.startsWith('Stopped')"), "stopped", b.text("tour-state"))
    before = b.text("tour-length")
    b.click("#tour-go")
    ok(b.wait("document.getElementById('tour-state').textContent.startsWith('Searching')") and
       b.wait(f"document.getElementById('tour-length').textContent != {json.dumps(before)}"), "and goes on from its tour", b.text("tour-length"))
    b.click("#tour-go")


def squares(b):
    b.open("squares")
    b.click("#square-all")
    ok(b.wait("document.getElementById('square-count').textContent == '7,040'") and b.text("square-classes") == "880", "order 4: 7040 squares, 880 classes",
       b.text("square-count"))
    b.choose("#square-example", "durer")
    b.click("#square-fill")
    ok(b.wait("[...document.querySelectorAll('#square input')].every(i => i.value)") and b.text("square-state").startswith("Found"), "Dürer's year is completed",
       b.text("square-state"))
    ok(b.run("[...document.querySelectorAll('#square .sum')].every(s => s.textContent == '34')"), "all sums are 34")
    first = b.run("[...document.querySelectorAll('#square input')].map(i => i.value).join()")
    b.click("#square-next")
    ok(b.wait(f"[...document.querySelectorAll('#square input')].map(i => i.value).join() != '{first}'"), "the next square")
    b.click("#square-all")
    ok(b.wait("document.getElementById('square-state').textContent.startsWith('All of them')"), "counted", b.text("square-state"))
    b.choose("#square-order", "3")
    b.type("#square input:nth-of-type(5)", "5")
    b.click("#square-all")
    ok(b.wait("document.getElementById('square-count').textContent == '8'"), "5 in the middle of order 3: 8 squares", b.text("square-count"))
    b.type("#square input:nth-of-type(1)", "1")
    b.click("#square-fill")
    ok(b.wait("document.getElementById('square-state').textContent.includes('no such square')"), "1 in the corner: proven, none", b.text("square-state"))
    b.type("#square input:nth-of-type(2)", "5")
    b.click("#square-fill")
    ok(b.wait("document.getElementById('square-state').className.includes('bad')"), "a number twice is refused", b.text("square-state"))
    b.choose("#square-order", "6")
    b.click("#square-all")
    ok(b.wait("document.getElementById('square-count').textContent.length > 1"), "order 6 begins")
    before = time.monotonic()
    b.run("new Promise(requestAnimationFrame)")
    ok(time.monotonic() - before < 10, "the page is alive meanwhile")
    b.click("#square-fill")
    ok(b.wait("document.getElementById('square-state').textContent.startsWith('Stopped')"), "and stops", b.text("square-state"))


def boards(b):
    b.open("boards")
    b.click("#board-list")
    ok(b.wait("document.getElementById('board-state').textContent.startsWith('All')") and b.text("board-all") == "380"
       and b.text("board-classes") == "57", "side 8: 380 boards, 57 classes", b.text("board-all"))
    ok(b.run("document.querySelectorAll('#gallery button').length") == 57, "57 pictures")
    ok(b.run("document.querySelector('#board .dots').getAttribute('d').split('M').length - 1") == 16, "16 points on the board")
    b.type("#board-n", "16")
    b.choose("#board-symmetry", "7")
    b.click("#board-one")
    ok(b.wait("document.getElementById('board-state').textContent.startsWith('Found')"), "one of side 16 with a quarter turn", b.text("board-state"))
    b.type("#board-n", "14")
    b.choose("#board-symmetry", "0")
    b.click("#board-list")
    ok(b.wait("document.getElementById('board-classes').textContent.length > 1"), "side 14 shows boards")
    b.click("#board-list")
    ok(b.wait("document.getElementById('board-state').textContent.startsWith('Stopped')"), "stopped", b.text("board-state"))


def permutations(b):
    b.open("permutations")
    ok(b.wait("document.getElementById('permutation-text').value == '0 1 2 3 4 5 6 7'"), "rank 0 of 8")
    b.click("#permutation-on")
    ok(b.wait("document.getElementById('permutation-text').value == '0 1 2 3 4 5 7 6'"), "the next one")
    b.click("#permutation-last")
    ok(b.wait("document.getElementById('permutation-rank').value == '40319'"), "the last one is 8! - 1")
    b.choose("#permutation-n", "34")
    ok(b.wait("document.getElementById('permutation-count').textContent.startsWith('295,232,799,039,604,140,847,618,609,643,520,000,000')"), "34!",
       b.text("permutation-count"))
    b.click("#permutation-last")
    ok(b.wait("document.getElementById('permutation-text').value.startsWith('33 32 31')"), "the last of 34")
    b.choose("#permutation-n", "3")
    b.type("#permutation-text", "1 2 0")
    b.key("Enter")
    ok(b.wait("document.getElementById('permutation-rank').value == '3'"), "1 2 0 has rank 3")
    b.type("#permutation-text", "1 1 0")
    b.key("Enter")
    ok(b.wait("document.getElementById('permutation-state').className.includes('bad')"), "1 1 0 is refused", b.text("permutation-state"))
    b.choose("#permutation-n", "9")
    b.choose("#permutation-family", "3")
    ok(b.wait("document.getElementById('permutation-count').textContent == '133,496'"), "133496 derangements of 9", b.text("permutation-count"))


def tabs(b):
    b.open()
    b.run("document.getElementById('tab-tours').focus()")
    b.key("ArrowRight")
    ok(b.run("!document.getElementById('squares').hidden && document.getElementById('tours').hidden && document.activeElement.id") == "tab-squares",
       "the arrow keys go through the tabs")
    b.run("document.documentElement.removeAttribute('data-theme')")
    before = b.run("getComputedStyle(document.body).backgroundColor")
    b.click("#theme")
    ok(b.run("getComputedStyle(document.body).backgroundColor") != before, "light and dark")
    unnamed = b.run("""[...document.querySelectorAll('button, input, select, canvas')].filter(e => !(e.getAttribute('aria-label') ||
        e.closest('label') || e.textContent.trim())).map(e => e.id)""")
    ok(unnamed == [], "every control has a name", unnamed)


def pictures(b, folder):
    os.makedirs(folder, exist_ok=True)
    for name, width, height, phone in (("phone", 390, 844, True), ("tablet", 820, 1100, False), ("desktop", 1360, 860, False)):
        for dark in (False, True):
            b.size(width, height, phone, dark)
            for part in ("tours", "squares", "boards", "permutations"):
                b.open(part)
                if part == "tours":
                    b.click("#tour-europe" if dark else "#tour-random")
                    proven(b)
                elif part == "squares":
                    b.choose("#square-example", "durer")
                    b.click("#square-fill")
                    b.wait("document.getElementById('square-state').textContent.startsWith('Found')")
                elif part == "boards":
                    b.type("#board-n", "10")
                    b.click("#board-list")
                    b.wait("document.getElementById('board-state').textContent.startsWith('All')")
                else:
                    b.click("#permutation-random")
                    time.sleep(0.3)
                b.run("scrollTo(0, 0)")
                wide = b.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                ok(wide <= 0, f"{name}, {'dark' if dark else 'light'}: {part} fits the width", wide)
                b.picture(os.path.join(folder, f"{part}-{name}-{'dark' if dark else 'light'}.png"))


def main(program, page, folder):
    b = Browser(program, page)
    try:
        for part in (tours, files, squares, boards, permutations, tabs):
            part(b)
        if folder:
            pictures(b, folder)
        ok(b.errors == [], "no error in the console", b.errors)
        elsewhere = [url for url in b.requests if not url.startswith(("file:", "blob:", "data:", "about:"))]
        ok(elsewhere == [], "nothing is asked of a network", elsewhere)
    finally:
        b.close()
    print(f"1..{points}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
