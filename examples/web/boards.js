/* No three in line: boards appear as the search finds them. */
{
    const CLASSES = ["any", "none", "a diagonal", "a middle line", "half turn", "near quarter turn", "both diagonals",
                     "quarter turn", "both middle lines", "all eight"];
    const NAMES = ["all", "iden", "dia1", "ort1", "rot2", "near_rot4", "dia2", "rot4", "ort2", "full"];
    const SHOWN = 400; /* in the gallery */
    const engine = new Engine();
    let shownBoards = 0;

    /* Boards from the bytes of the worker: {symmetry, rows}, a row as its columns. */
    function boardsOf(bytes, n) {
        const boards = [];
        for (let at = 0; at < bytes.length; at += 1 + 16 * n) {
            const rows = [];
            for (let y = 0; y < n; y++) {
                const row = [];
                for (let x = 0; x < n; x++)
                    if (bytes[at + 1 + 16 * y + (x >> 3)] >> (x & 7) & 1) row.push(x);
                rows.push(row);
            }
            boards.push({ symmetry: bytes[at], rows });
        }
        return boards;
    }

    function showBoard(n, board) {
        byId("board").innerHTML = dotsPicture(n, board.rows, true);
        byId("board").setAttribute("aria-label", `${n} by ${n} board, symmetry: ${CLASSES[board.symmetry]}. Columns of the points, row by row: ` +
            board.rows.map(row => row.map(x => x + 1).join(" ")).join("; "));
    }

    function add(bytes, n) {
        const boards = boardsOf(bytes, n);
        if (!boards.length) return;
        showBoard(n, boards[boards.length - 1]);
        for (const board of boards) {
            if (shownBoards >= SHOWN) break;
            const button = document.createElement("button");
            button.type = "button";
            button.innerHTML = dotsPicture(n, board.rows, false);
            button.setAttribute("aria-label", `Board ${++shownBoards}, symmetry: ${CLASSES[board.symmetry]}`);
            button.onclick = () => showBoard(n, board);
            byId("gallery").append(button);
        }
    }

    function table(byClass) {
        const body = byId("board-table").tBodies[0];
        body.textContent = "";
        CLASSES.forEach((name, i) => {
            if (!i || byClass[NAMES[i]] === "0") return;
            const line = body.insertRow(), head = document.createElement("th");
            head.scope = "row";
            head.textContent = name;
            line.append(head);
            line.insertCell().textContent = whole(byClass[NAMES[i]]);
        });
        byId("board-table").hidden = !body.rows.length;
    }

    function empty() {
        const n = Math.min(52, Math.max(2, Number(byId("board-n").value) || 8));
        engine.stop();
        byId("board").innerHTML = dotsPicture(n, [], true);
        return n;
    }

    function start(seed) {
        const n = empty(), begun = performance.now();
        byId("board-n").value = n;
        byId("gallery").textContent = "";
        byId("board-table").hidden = true;
        shownBoards = 0;
        for (const figure of ["all", "classes", "done"]) byId(`board-${figure}`).textContent = "–";
        byId("board-list").textContent = "Stop";
        byId("board-one").disabled = true;
        setState("board-state", "Searching …");
        engine.start({ search: "no3", n, symmetry: Number(byId("board-symmetry").value), seed }, (event, message) => {
            const took = duration((performance.now() - begun) / 1000);
            if (message.boards) add(message.boards, n);
            if (event === "show") {
                byId("board-classes").textContent = whole(message.solutions);
                byId("board-done").textContent = message.fraction ? `${(100 * message.fraction).toFixed(1)} %` : "–";
                setState("board-state", `Searching … ${message.remaining > 0 ? `about ${duration(message.remaining)} left` : ""}`);
                return;
            }
            byId("board-list").textContent = "Find all";
            byId("board-one").disabled = false;
            if (event === "error") {
                setState("board-state", sentence(message.message), "bad");
                return;
            }
            if (message.ended) {
                setState("board-state", "Stopped.");
                return;
            }
            const some = message.classes !== "0";
            byId("board-all").textContent = seed ? "–" : whole(message.all);
            byId("board-classes").textContent = whole(message.classes);
            if (!message.stopped && !seed) byId("board-done").textContent = "100 %";
            if (!seed) table(message.by_class);
            setState("board-state", message.stopped ? "Stopped: so many so far."
                : seed ? (some ? `Found in ${took}.` : "Proven: there is no such board.")
                : `All of them, in ${took}.` + (BigInt(message.classes) > BigInt(shownBoards) ? ` The first ${shownBoards} are shown.` : ""),
                message.stopped ? "" : "good");
        });
    }

    byId("board-list").onclick = () => engine.running ? engine.stop() : start(0);
    byId("board-one").onclick = () => start(1 + Math.floor(1e9 * Math.random()));
    byId("board-n").onchange = empty;
    byId("board-n").onkeydown = event => event.key === "Enter" && start(0);
    empty();
}
