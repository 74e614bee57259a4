/* Tours: cities that are drawn or read, and the tour through them while it is found. */
{
    const WORLD = { width: 1000, height: 700 }; /* of drawn cities: what is always in view */
    const METRICS = { 6: " km", 8: " km", 15: " m" };
    const ON_EARTH = [6, 8, 15]; /* GEO, EARTH, GEOM: x is the latitude, y the longitude */
    const LABELS = 60, LISTED = 1000;
    const engine = new Engine();
    const map = byId("map"), pen = map.getContext("2d");
    let drawn = [];     /* cities of the page's own, {x, y} */
    let file = null;    /* {name, data}, if they come from a file */
    let cities = null;  /* of the file, as read: n, x, y, names, metric, what */
    let best = null;    /* what is known of the tour */
    let cross = null;   /* where the keyboard is */
    let seed = 0;       /* of a search that goes on */
    let view = { x: 0, y: 0, scale: 1 };

    /* ---- places */

    /* Cities as they lie on the map: x to the right, y down. */
    function places() {
        if (!cities) return drawn;
        if (!cities.placed) { /* a table: on a circle, in the order of the visits */
            const order = best && best.tour ? [...best.tour] : [...Array(cities.n).keys()], at = [];
            order.forEach((city, i) => {
                const angle = 2 * Math.PI * i / cities.n - Math.PI / 2;
                at[city] = { x: Math.cos(angle), y: Math.sin(angle) };
            });
            return at;
        }
        if (!ON_EARTH.includes(cities.metric))
            return Array.from(cities.x, (x, i) => ({ x, y: -cities.y[i] }));
        const narrow = Math.cos((Math.min(...cities.x) + Math.max(...cities.x)) * Math.PI / 360);
        return Array.from(cities.x, (x, i) => ({ x: cities.y[i] * narrow, y: -x }));
    }

    function fit(at) {
        let left = 0, top = 0, right = WORLD.width, bottom = WORLD.height;
        if (cities) {
            left = top = Infinity;
            right = bottom = -Infinity;
            for (const { x, y } of at) {
                left = Math.min(left, x);
                right = Math.max(right, x);
                top = Math.min(top, y);
                bottom = Math.max(bottom, y);
            }
        }
        const width = map.clientWidth, height = map.clientHeight, margin = cities ? 34 : 0;
        const scale = Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1));
        view = { scale, x: (width - scale * (left + right)) / 2, y: (height - scale * (top + bottom)) / 2 };
    }

    const toScreen = ({ x, y }) => ({ x: view.x + view.scale * x, y: view.y + view.scale * y });
    const toWorld = (x, y) => ({ x: Math.round(10 * (x - view.x) / view.scale) / 10,
                                 y: Math.round(10 * (y - view.y) / view.scale) / 10 });

    /* ---- the picture */

    let waiting = false;
    function draw() {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
            waiting = false;
            paint();
        });
    }

    function paint() {
        const sharp = devicePixelRatio || 1, width = map.clientWidth, height = map.clientHeight;
        if (!width) return;
        if (map.width !== Math.round(width * sharp) || map.height !== Math.round(height * sharp)) {
            map.width = Math.round(width * sharp);
            map.height = Math.round(height * sharp);
        }
        const style = getComputedStyle(map), color = name => style.getPropertyValue(name);
        const at = places(), count = at.length;
        fit(at);
        const on = at.map(toScreen);
        pen.setTransform(sharp, 0, 0, sharp, 0, 0);
        pen.clearRect(0, 0, width, height);
        if (best && best.tour && best.tour.length === count && best.length !== null) {
            pen.beginPath();
            best.tour.forEach((city, i) => i ? pen.lineTo(on[city].x, on[city].y) : pen.moveTo(on[city].x, on[city].y));
            if (!best.shape) pen.closePath();
            pen.fillStyle = color("--tint");
            if (best.optimal && !best.shape) pen.fill("evenodd");
            pen.lineJoin = pen.lineCap = "round";
            pen.lineWidth = count > 1000 ? 1 : 2;
            pen.strokeStyle = color("--accent");
            if (!best.optimal) pen.globalAlpha = 0.65;
            pen.stroke();
            pen.globalAlpha = 1;
        }
        const radius = count > 2000 ? 1.2 : count > 300 ? 2.2 : 4;
        pen.fillStyle = color("--ink");
        for (const { x, y } of on) {
            pen.beginPath();
            pen.arc(x, y, radius, 0, 7);
            pen.fill();
        }
        if (best && best.shape && best.tour && best.tour.length === count && count > 1) { /* where a path begins, and ends */
            pen.lineWidth = 2;
            [["--good", best.tour[0]], ["--bad", best.tour[count - 1]]].forEach(([name, city]) => {
                pen.strokeStyle = color(name);
                pen.beginPath();
                pen.arc(on[city].x, on[city].y, radius + 4, 0, 7);
                pen.stroke();
            });
        }
        if (cities && cities.names.length && count <= LABELS) label(on, color, width);
        if (cross) {
            const { x, y } = toScreen(cross);
            pen.strokeStyle = color("--soft");
            pen.lineWidth = 1;
            pen.strokeRect(x - 7, y - 7, 14, 14);
            pen.beginPath();
            pen.moveTo(x - 14, y);
            pen.lineTo(x + 14, y);
            pen.moveTo(x, y - 14);
            pen.lineTo(x, y + 14);
            pen.stroke();
        }
    }

    /* Names beside the cities, but for those that would cover another one. */
    function label(on, color, width) {
        const taken = on.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]);
        pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
        pen.fillStyle = color("--soft");
        pen.strokeStyle = color("--card");
        pen.lineWidth = 4;
        pen.textBaseline = "middle";
        on.forEach(({ x, y }, i) => {
            const wide = pen.measureText(cities.names[i]).width;
            const left = x + 8 + wide < width ? x + 8 : x - 8 - wide;
            const box = [left, y - 7, left + wide, y + 7];
            if (taken.some(t => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) return;
            taken.push(box);
            pen.strokeText(cities.names[i], left, y); /* what lies below makes way */
            pen.fillText(cities.names[i], left, y);
        });
    }

    /* ---- solving */

    const unit = () => cities ? METRICS[cities.metric] || "" : "";
    const nameOf = city => cities && cities.names.length ? cities.names[city] : `${city + 1}`;

    function figures() {
        byId("tour-n").textContent = grouped.format(cities ? cities.n : drawn.length);
        byId("tour-length").textContent = decimal(best && best.length, unit());
        byId("tour-bound").textContent = decimal(best && best.bound, unit());
        byId("tour-gap").textContent = !best || best.length === null ? "–" : best.optimal ? "0"
            : best.gap === null ? "–" : `${(100 * best.gap).toFixed(best.gap < 0.001 ? 3 : 2)} %`;
    }

    function listVisits() {
        const list = byId("tour-order").querySelector("ol");
        list.textContent = "";
        if (!best || !best.tour || !byId("tour-order").open) return;
        for (const city of [...best.tour].slice(0, LISTED)) {
            const line = document.createElement("li"), at = !cities && drawn[city];
            line.textContent = at ? `${at.x}, ${at.y}` : nameOf(city);
            list.append(line);
        }
    }

    function summary(stopped) {
        const what = best && best.shape ? "path" : "tour";
        if (!best || !best.tour) return ["Stopped before there was a tour.", ""];
        if (!best.feasible && best.optimal) return [`Proven: there is no ${what}.`, "good"];
        if (best.length === null) return [`No ${what} is known yet.`, ""];
        if (best.optimal) return [`Proven: no ${what} is shorter. It took ${duration(best.seconds)}.`, "good"];
        return [(stopped ? "Stopped. " : "The best so far. ") +
                (best.gap !== null ? `At most ${(100 * best.gap).toFixed(2)} % above the shortest ${what}.` : ""), ""];
    }

    function finished(stopped) {
        setState("tour-state", ...summary(stopped));
        byId("tour-go").textContent = best && best.tour && !best.optimal ? "Search on" : "Solve";
        map.setAttribute("aria-description", byId("tour-state").textContent);
        figures();
        listVisits();
        draw();
    }

    function hear(event, message) {
        if (event === "error") {
            setState("tour-state", sentence(message.message), "bad");
            byId("tour-go").textContent = "Solve";
            return;
        }
        if (message.cities) {
            cities = message.cities;
            byId("map-hint").hidden = true;
            byId("tour-what").textContent = `${file.name || "Forty cities of Europe"}: ` +
                [cities.what || `${cities.n} cities`, cities.why].filter(Boolean).join("; ") +
                (cities.placed ? "." : ". It has no places: the circle shows the order.");
        }
        if (message.tour) best = { ...message, shape: cities && cities.path ? 1 : Number(byId("tour-shape").value) };
        if (event === "end") {
            finished(message.stopped);
            return;
        }
        if (message.tour) setState("tour-state", "Searching …");
        figures();
        draw();
    }

    /* Searches; from the tour that is known, if `on`. */
    function solve(on) {
        const n = cities ? cities.n : drawn.length;
        const from = on === true && best && best.tour && !best.optimal ? { tour: best.tour, bound: best.bound, seed: ++seed } : {};
        if (!from.tour) best = null;
        byId("tour-go").disabled = !file && n < 2;
        byId("map-hint").hidden = Boolean(n || file);
        listVisits();
        figures();
        draw();
        if (!file && n < 2) {
            engine.stop();
            setState("tour-state", n ? "One more city." : "Place three cities or more.");
            return;
        }
        byId("tour-go").textContent = "Stop";
        setState("tour-state", "Searching …");
        engine.start({ search: "tours", ...from, shape: Number(byId("tour-shape").value),
                       ...(file ? { file: file.data, name: file.name, metric: Number(byId("tour-metric").value) }
                                : { x: drawn.map(p => p.x), y: drawn.map(p => p.y) }) }, hear);
    }

    byId("tour-go").onclick = () => engine.running ? engine.stop() : solve(true);
    byId("tour-shape").onchange = () => solve();
    byId("tour-metric").onchange = () => file && solve();
    byId("tour-order").ontoggle = listVisits;

    /* ---- drawn cities */

    /* Drawing begins anew after a file. */
    function own(list) {
        file = cities = null;
        byId("tour-what").textContent = "";
        byId("tour-file").value = "";
        drawn = list;
        solve();
    }

    byId("tour-random").onclick = () => {
        const list = [], count = Math.min(10000, Math.max(3, Number(byId("tour-count").value) || 40));
        byId("tour-count").value = count;
        while (list.length < count)
            list.push({ x: Math.round(300 + 9400 * Math.random()) / 10, y: Math.round(300 + 6400 * Math.random()) / 10 });
        own(list);
    };
    byId("tour-clear").onclick = () => own([]);
    byId("tour-undo").onclick = () => own(drawn.slice(0, -1));

    function nearest(x, y, within) {
        let found = -1;
        drawn.forEach((city, i) => {
            const at = toScreen(city), distance = Math.hypot(at.x - x, at.y - y);
            if (distance <= within) {
                within = distance;
                found = i;
            }
        });
        return found;
    }

    let held = -1, pressed = null;
    const where = event => {
        const box = map.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    map.onpointerdown = event => {
        if (event.button || cities) return;
        const [x, y] = where(event);
        cross = null;
        held = nearest(x, y, event.pointerType === "touch" ? 22 : 12);
        pressed = { x, y };
        if (held >= 0) map.setPointerCapture(event.pointerId);
    };
    map.onpointermove = event => {
        const [x, y] = where(event);
        if (!cities) map.style.cursor = nearest(x, y, 12) >= 0 ? "grab" : "crosshair";
        if (held < 0 || Math.hypot(x - pressed.x, y - pressed.y) < 3) return;
        drawn[held] = toWorld(x, y);
        solve();
    };
    map.onpointerup = event => {
        const [x, y] = where(event);
        if (pressed && held < 0 && Math.hypot(x - pressed.x, y - pressed.y) < 8) own([...drawn, toWorld(x, y)]);
        held = -1;
        pressed = null;
    };
    map.onpointercancel = () => { held = -1; pressed = null; };
    map.addEventListener("touchstart", event => { /* a finger on a city moves it, elsewhere it scrolls */
        const [x, y] = where(event.touches[0]);
        if (nearest(x, y, 22) >= 0) event.preventDefault();
    }, { passive: false });
    map.oncontextmenu = map.ondblclick = event => {
        const i = nearest(...where(event), 14);
        event.preventDefault();
        if (i >= 0) own(drawn.filter((_, k) => k !== i));
    };
    map.onkeydown = event => {
        const step = event.shiftKey ? 5 : 25;
        const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
        if (moves[event.key]) {
            cross = cross || { x: WORLD.width / 2, y: WORLD.height / 2 };
            cross = { x: cross.x + moves[event.key][0], y: cross.y + moves[event.key][1] };
        } else if ((event.key === "Enter" || event.key === " ") && cross && !cities)
            own([...drawn, { ...cross }]);
        else if ((event.key === "Delete" || event.key === "Backspace") && cross && !cities) {
            const at = toScreen(cross), i = nearest(at.x, at.y, 40);
            if (i >= 0) own(drawn.filter((_, k) => k !== i));
        } else if (event.key === "Escape")
            engine.stop();
        else
            return;
        event.preventDefault();
        draw();
    };
    map.onblur = () => { cross = null; draw(); };

    /* ---- files */

    function take(name, data) {
        file = { name, data };
        cities = null;
        drawn = [];
        byId("tour-what").textContent = "";
        solve();
    }
    async function open(blob) {
        if (blob) take(blob.name, await blob.arrayBuffer());
    }
    byId("tour-file").onchange = event => open(event.target.files[0]);
    byId("tour-europe").onclick = () => take("", new ArrayBuffer(0)); /* the library's own */
    const part = byId("tours");
    addEventListener("dragover", event => {
        event.preventDefault();
        part.classList.add("dropping");
    });
    addEventListener("dragleave", () => part.classList.remove("dropping"));
    addEventListener("drop", event => {
        event.preventDefault();
        part.classList.remove("dropping");
        select(byId("tab-tours"));
        open(event.dataTransfer.files[0]);
    });

    byId("tour-save").onclick = () => {
        if (!best || !best.tour) return;
        const quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [...best.tour].map((city, i) => {
            const place = !cities ? [drawn[city].x, drawn[city].y] : cities.placed ? [cities.x[city], cities.y[city]] : [];
            return [i + 1, quoted(nameOf(city)), ...place].join(",");
        });
        const head = cities && ON_EARTH.includes(cities.metric) ? "visit,name,lat,lon"
            : cities && !cities.placed ? "visit,name" : "visit,name,x,y";
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([[head, ...lines].join("\n") + "\n"], { type: "text/csv" }));
        link.download = "tour.csv";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };

    new ResizeObserver(draw).observe(map);
    themeChanged.push(draw);
    shown.tours = draw;
}
