/* The library at work: one search at a time, step by step, so that a message can stop it. Messages to the page:
   {id, event, ...}; event is "show", "end", "reply" or "error". */
"use strict";
const RUNNING = 3;
const PROVEN = 256; /* cities of a tour that is proven shortest; above that the heuristic is the search */
const NO_SUCH_FILE = 8, CANNOT_SEEK = 70; /* errors of WASI */
let module, lib, input, inputAt, printed, next = null, stopping = false, working = false;

/* ---- what the C library asks of a system: a clock, a file to read, a place for messages */

const view = () => new DataView(lib.memory.buffer);
const bytes = (at, count) => new Uint8Array(lib.memory.buffer, at, count);

/* Calls use(address, size) for each piece of memory in a WASI list; returns the sum of what it returns. */
function pieces(list, count, use) {
    let sum = 0;
    for (let i = 0; i < count; i++)
        sum += use(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true));
    return sum;
}

const system = {
    clock_time_get(id, precision, at) {
        view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
    },
    environ_sizes_get(count, size) {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
    },
    fd_read(fd, list, count, got) {
        view().setUint32(got, pieces(list, count, (at, size) => {
            const part = input.subarray(inputAt, inputAt + size);
            bytes(at, part.length).set(part);
            inputAt += part.length;
            return part.length;
        }), true);
        return 0;
    },
    fd_write(fd, list, count, wrote) {
        view().setUint32(wrote, pieces(list, count, (at, size) => {
            printed += new TextDecoder().decode(bytes(at, size).slice());
            return size;
        }), true);
        return 0;
    },
    fd_seek: () => CANNOT_SEEK,
    environ_get: () => 0,
    poll_oneoff: () => 0,
    proc_exit() {
        throw new Error(printed.replace(/^: /, "").trim());
    },
};

/* A new copy of the library, which knows nothing of what the last one read. */
async function open() {
    const imports = {};
    for (const { name } of WebAssembly.Module.imports(module))
        imports[name] = system[name] || (() => NO_SUCH_FILE);
    lib = (await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports })).exports;
    printed = "";
    lib._initialize();
    lib.open();
}

/* ---- calls */

function text(at) {
    const all = new Uint8Array(lib.memory.buffer, at);
    return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
}

/* The reply of a call; throws its message if it failed. */
function answer(status) {
    const reply = JSON.parse(text(lib.reply()));
    if (status < 0) throw new Error(reply.message);
    return reply;
}

/* Memory of the library with a copy of an array. It is never given back: the next search has a new copy. */
function lend(array) {
    const at = lib.allocate(array.byteLength || 1);
    bytes(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return at;
}

/* Lets messages come in between two steps. */
const turn = new MessageChannel();
const pause = () => new Promise(resolve => {
    turn.port1.onmessage = resolve;
    turn.port2.postMessage(0);
});

/* Steps until the search ends or is to stop; show() is called at most every `every` ms. */
async function steps(show, every) {
    let status = RUNNING, shown = performance.now();
    while (status === RUNNING && !stopping) {
        status = lib.step();
        const now = performance.now();
        if (status === RUNNING && now - shown > every()) {
            show();
            shown = performance.now();
        }
        await pause();
    }
    return status;
}

/* ---- the searches; each gets its task and a function that sends what is to be shown */

const doubles = (at, count) => new Float64Array(lib.memory.buffer, at, count).slice();

async function takeCities(task, show) {
    await open();
    if (!task.file)
        return answer(lib.points(task.x.length, lend(Float64Array.from(task.x)),
                                 lend(Float64Array.from(task.y))));
    input = new Uint8Array(task.file);
    inputAt = 0;
    const read = answer(lib.read(lend(new TextEncoder().encode(task.name + "\0")), task.metric));
    if (read.placed) {
        read.x = doubles(lib.x(), read.n);
        read.y = doubles(lib.y(), read.n);
    }
    if (read.windows)
        throw new Error("The file has time windows, which this page does not keep; the command does.");
    show({ cities: read });
    return read;
}

async function tours(task, show) {
    const { n } = await takeCities(task, show);
    const begun = performance.now();
    let best = null, known = task.bound === undefined ? null : task.bound;
    const take = reply => {
        best = reply;
        known = known === null ? reply.bound : Math.max(known, reply.bound);
        best.bound = known;
        if (best.length !== null && known > 0) best.gap = best.optimal ? 0 : best.length / known - 1;
        best.seconds = (performance.now() - begun) / 1000;
        best.tour = new Int32Array(lib.memory.buffer, lib.tour(), n).slice();
        return best;
    };
    lib.tour_shape(task.shape);
    if (task.tour) new Int32Array(lib.memory.buffer, lib.tour(), n).set(task.tour);
    for (const kicks of task.tour || n > PROVEN ? [] : [1, 2 * n, 20 * n]) {
        const status = lib.tour_first(kicks, best !== null);
        if (status < 0 || (best && best.optimal) || stopping) break;
        show(take(answer(status)));
        await pause();
    }
    if (best && (best.optimal || stopping)) return best;
    answer(lib.tour_begin(best !== null || Boolean(task.tour), task.tour ? 400 * n : 0, task.seed || 0));
    let looked = 0; /* what a look takes, ms: one part in eight of the time */
    await steps(() => {
        const from = performance.now();
        const reply = answer(lib.tour_look());
        looked = performance.now() - from;
        if (!reply.optimal) show(take(reply));
    }, () => Math.max(200, 8 * looked));
    return take(answer(lib.tour_end()));
}

const progress = () => answer(lib.progress());

async function magic(task, show) {
    await open();
    answer(lib.magic_begin(task.order, task.kind, lend(Int32Array.from(task.givens)), task.one));
    for (;;) {
        await steps(() => show(progress()), () => 100);
        const square = bytes(lib.found(), lib.take_found()).slice();
        if (square.length) show({ square });
        if (!square.length || !await more()) break;
    }
    return answer(lib.magic_end());
}

/* Waits to be asked for the next square, or for the end. */
let asked = null;
const more = () => new Promise(resolve => { asked = resolve; });

async function no3(task, show) {
    await open();
    answer(lib.no3_begin(task.n, task.symmetry, BigInt(task.seed)));
    const take = () => bytes(lib.found(), lib.take_found()).slice();
    await steps(() => show({ boards: take(), ...progress() }), () => 60);
    const boards = take();
    return { boards, ...answer(lib.no3_end()) };
}

async function permutations({ family, n, k, rank, member }) {
    if (!lib) await open();
    const whole = reply => (BigInt(reply.high) << 64n) | BigInt(reply.low);
    const counted = answer(lib.perm_count(family, n, k));
    const count = whole(counted);
    if (member) {
        if (member.length !== counted.length)
            throw new Error(`There are ${member.length} numbers; a member has ${counted.length}.`);
        bytes(lib.member(), 64).set(member);
        rank = whole(answer(lib.perm_rank(family, n, k)));
    } else {
        rank = ((rank % count) + count) % count;
        answer(lib.perm_unrank(family, n, k, rank >> 64n, rank & ((1n << 64n) - 1n)));
    }
    return { count, rank, member: bytes(lib.member(), counted.length).slice() };
}

/* ---- messages */

const searches = { tours, magic, no3, permutations };

async function work() {
    working = true;
    while (next) {
        const task = next;
        next = null;
        stopping = false;
        const send = (event, message) => postMessage({ id: task.id, event, ...message });
        try {
            send("end", { ...await searches[task.search](task, shown => send("show", shown)),
                          stopped: stopping });
        } catch (error) {
            lib = null; /* it may have ended in the middle of a call */
            send("error", { message: error.message });
        }
    }
    working = false;
}

onmessage = ({ data }) => {
    if (data.module) {
        module = data.module;
        return;
    }
    if (data.next) {
        if (asked) asked(true);
        asked = null;
        return;
    }
    stopping = true;
    if (next) postMessage({ id: next.id, event: "end", stopped: true, ended: true }); /* it never began */
    next = data.search ? data : null;
    if (asked) asked(false);
    asked = null;
    if (!working) work();
};
