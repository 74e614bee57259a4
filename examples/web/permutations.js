/* Permutations by their rank: a step, a jump, or back from the permutation to its rank. */
{
    const FAMILIES_WITH_K = [1, 4];
    const WITHOUT_CYCLES = [1, 4, 7]; /* lists that are no maps of places to values */
    const engine = new Engine();
    const rankField = byId("permutation-rank"), slide = byId("permutation-slide");
    let rank = 0n, count = 1n, member = null, playing = 0;

    const chosen = () => ({ family: Number(byId("permutation-family").value),
                            n: Math.max(1, Math.min(64, Number(byId("permutation-n").value) || 1)),
                            k: FAMILIES_WITH_K.includes(Number(byId("permutation-family").value))
                                ? Math.max(1, Number(byId("permutation-k").value) || 1) : 0 });

    function cycles(list) {
        const seen = Array(list.length).fill(false), all = [];
        list.forEach((_, first) => {
            const cycle = [];
            for (let i = first; !seen[i]; i = list[i]) {
                seen[i] = true;
                cycle.push(i);
            }
            if (cycle.length) all.push(cycle);
        });
        return all;
    }

    function show(n) {
        const list = [...member], isMap = !WITHOUT_CYCLES.includes(chosen().family);
        const before = [...byId("tiles").children].map(tile => tile.textContent);
        byId("tiles").textContent = "";
        list.forEach((value, i) => {
            const tile = document.createElement("li");
            tile.textContent = value;
            if (before.length === list.length && before[i] !== String(value)) tile.className = "changed";
            byId("tiles").append(tile);
        });
        byId("matrix").innerHTML = dotsPicture(n, list.map(value => [value]), true);
        byId("matrix").setAttribute("aria-label", `Permutation matrix of ${list.join(" ")}`);
        rankField.value = rank;
        byId("permutation-text").value = list.join(" ");
        slide.value = count > 1n ? Number(rank * 10000n / (count - 1n)) : 0;
        byId("permutation-count").textContent = whole(count);
        const all = isMap ? cycles(list) : [];
        byId("permutation-cycles").textContent = isMap ? `${all.length}` : "–";
        byId("permutation-inversions").textContent =
            list.reduce((sum, value, i) => sum + list.slice(i + 1).filter(other => other < value).length, 0);
        setState("permutation-state", !isMap ? `Number ${whole(rank)} of ${whole(count)}, counted from 0.`
            : all.map(cycle => `(${cycle.join(" ")})`).join(" "));
    }

    /* Goes to a rank, or to the rank of a member, after the steps before it. */
    let before = Promise.resolve();
    function go(to) {
        before = before.then(async () => {
            const { family, n, k } = chosen();
            try {
                const reply = await engine.ask({ search: "permutations", family, n, k, ...to() });
                ({ rank, count, member } = reply);
                show(n);
            } catch (error) {
                pause();
                setState("permutation-state", sentence(error.message), "bad");
            }
        });
    }

    function pause() {
        clearInterval(playing);
        playing = 0;
        byId("permutation-play").textContent = "Play";
        byId("permutation-play").setAttribute("aria-pressed", "false");
    }

    function anew() {
        const { family } = chosen();
        byId("permutation-k-label").hidden = !FAMILIES_WITH_K.includes(family);
        byId("tiles").textContent = "";
        go(() => ({ rank: 0n }));
    }

    const random = () => {
        const words = crypto.getRandomValues(new BigUint64Array(3));
        return (words[0] << 128n | words[1] << 64n | words[2]) % count;
    };
    byId("permutation-first").onclick = () => go(() => ({ rank: 0n }));
    byId("permutation-back").onclick = () => go(() => ({ rank: rank - 1n }));
    byId("permutation-on").onclick = () => go(() => ({ rank: rank + 1n }));
    byId("permutation-last").onclick = () => go(() => ({ rank: count - 1n }));
    byId("permutation-random").onclick = () => go(() => ({ rank: random() }));
    byId("permutation-play").onclick = () => {
        if (playing) {
            pause();
            return;
        }
        playing = setInterval(() => go(() => ({ rank: rank + 1n })), 400);
        byId("permutation-play").textContent = "Pause";
        byId("permutation-play").setAttribute("aria-pressed", "true");
    };
    rankField.onchange = () => {
        const digits = rankField.value.replace(/[\s,_]/g, "");
        if (/^\d+$/.test(digits)) go(() => ({ rank: BigInt(digits) }));
        else setState("permutation-state", "A rank is a whole number from 0.", "bad");
    };
    byId("permutation-text").onchange = event => {
        const list = event.target.value.trim().split(/[\s,]+/).map(Number);
        if (list.some(value => !Number.isInteger(value) || value < 0 || value > 63))
            setState("permutation-state", "A permutation is a list of whole numbers from 0.", "bad");
        else
            go(() => ({ member: list }));
    };
    slide.oninput = () => go(() => ({ rank: BigInt(slide.value) * (count - 1n) / 10000n }));
    for (const id of ["family", "n", "k"]) byId(`permutation-${id}`).onchange = anew;
    shown.permutations = () => member || anew();
}
