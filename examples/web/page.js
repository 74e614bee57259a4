/* What all four parts of the page share: workers, tabs, the theme, small pictures. */
"use strict";
const byId = id => document.getElementById(id);
const STOP_MS = 1500; /* a worker that has not stopped by then is in a long call, and is ended */

/* ---- the library: compiled once, for all workers */

async function unpack() {
    const packed = Uint8Array.from(atob(byId("library").textContent.trim()), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
const library = unpack();
const workerText = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));

/* A worker with the latest of its tasks: a new one ends the one before. */
class Engine {
    constructor() {
        this.id = 0;
    }

    /* Sends a task. listen(event, message) hears "show", then "end" or "error". */
    async start(task, listen) {
        const id = ++this.id;
        const module = await library;
        if (id !== this.id) return;
        this.listen = listen;
        if (!this.worker) {
            this.worker = new Worker(workerText);
            this.worker.onmessage = ({ data }) => this.hear(data);
            this.worker.postMessage({ module });
        }
        this.waiting = this.running ? task : null; /* for the end of the one before */
        if (this.waiting) this.endIfStuck();
        this.running = true;
        this.worker.postMessage({ ...task, id });
    }

    hear(data) {
        if (data.event !== "show") {
            clearTimeout(this.timer);
            this.timer = 0;
            this.waiting = null;
        }
        if (data.id !== this.id) return;
        if (data.event !== "show") this.running = false;
        this.listen(data.event, data);
    }

    next() {
        this.worker.postMessage({ next: true });
        this.running = true;
    }

    stop() {
        if (!this.running) return;
        this.worker.postMessage({ stop: true });
        this.waiting = null;
        this.endIfStuck();
    }

    endIfStuck() {
        if (this.timer) return;
        this.timer = setTimeout(() => {
            this.timer = 0;
            this.worker.terminate();
            this.worker = null;
            this.running = false;
            if (this.waiting) this.start(this.waiting, this.listen);
            else this.listen("end", { stopped: true, ended: true });
        }, STOP_MS);
    }

    /* One task with one answer. */
    ask(task) {
        return new Promise((resolve, reject) => this.start(task, (event, message) => {
            if (event === "error") reject(new Error(message.message));
            else if (event === "end") resolve(message);
        }));
    }
}

/* ---- texts */

const grouped = new Intl.NumberFormat("en");
const whole = text => grouped.format(BigInt(text));

/* A length with six or so digits. */
function decimal(value, unit = "") {
    if (value === null || value === undefined) return "–";
    const digits = Math.max(0, 5 - Math.ceil(Math.log10(Math.abs(value) + 1)));
    return value.toLocaleString("en", { minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
                                        maximumFractionDigits: digits }) + unit;
}

function duration(seconds) {
    return seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms`
        : seconds < 100 ? `${seconds.toFixed(1)} s`
        : seconds < 6000 ? `${Math.round(seconds / 60)} minutes`
        : seconds < 170000 ? `${Math.round(seconds / 3600)} hours`
        : seconds < 6e7 ? `${Math.round(seconds / 86400)} days` : `${grouped.format(Math.round(seconds / 31556952))} years`;
}

/* How far a search is; "" while nobody knows. */
function progressText({ fraction, remaining }) {
    if (!fraction) return "";
    const done = `${(100 * fraction).toFixed(fraction < 0.1 ? 2 : 1)} %`;
    return remaining > 0 ? `${done}, about ${duration(remaining)} left` : done;
}

/* kind: "", "good" or "bad". */
function setState(id, text, kind = "") {
    const state = byId(id);
    state.textContent = text;
    state.className = `state ${kind}`;
}

/* A text from the library as a sentence; one that begins with the name of a file keeps that. */
const sentence = text => {
    const plain = text.replace(/\bdesc(\.|->)(run\.)?/g, "");
    return (/^\S+\.\w/.test(plain) ? plain.charAt(0) : plain.charAt(0).toUpperCase()) + plain.slice(1) + (/[.?]$/.test(plain) ? "" : ".");
};

/* ---- dots on a grid, as SVG: boards and permutation matrices */

function dotsPicture(n, columns, withGrid) {
    const dots = columns.map((row, y) => row.map(x => `M${x + 0.5} ${y + 0.5}h0`).join("")).join("");
    const lines = Array.from({ length: n }, (_, i) => `M${i + 0.5} 0v${n}M0 ${i + 0.5}h${n}`).join("");
    return `<svg viewBox="0 0 ${n} ${n}" aria-hidden="true">` +
        (withGrid ? `<path class="grid" stroke-width="${0.002 * n + 0.008}" d="${lines}"/>` : "") +
        `<path class="dots" stroke-width="${withGrid ? 0.62 : 0.8}" d="${dots}"/></svg>`;
}

/* ---- tabs and theme */

const tabs = [...document.querySelectorAll("[role=tab]")];
const shown = {}; /* what each part does when it comes into view */

function select(tab) {
    for (const other of tabs) {
        const is = other === tab;
        other.setAttribute("aria-selected", is);
        other.tabIndex = is ? 0 : -1;
        byId(other.getAttribute("aria-controls")).hidden = !is;
    }
    const part = tab.getAttribute("aria-controls");
    try { history.replaceState(null, "", "#" + part); } catch { /* a page that is no document of its own */ }
    if (shown[part]) shown[part]();
}

tabs.forEach((tab, i) => {
    tab.onclick = () => select(tab);
    tab.onkeydown = event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1
            : step ? (i + step + tabs.length) % tabs.length : -1;
        if (to < 0) return;
        event.preventDefault();
        select(tabs[to]);
        tabs[to].focus();
    };
});

const isDark = () => (document.documentElement.dataset.theme ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const themeChanged = [];
byId("theme").onclick = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    themeChanged.forEach(call => call());
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => themeChanged.forEach(call => call()));

addEventListener("DOMContentLoaded", () => {
    const tab = tabs.find(t => "#" + t.getAttribute("aria-controls") === location.hash) || tabs[0];
    select(tab);
});
