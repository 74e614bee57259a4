/* Magic squares: givens are typed, the search completes or counts. */
{
    const EXAMPLES = {
        luoshu: { order: 3, kind: 0, givens: [0, 0, 0, 0, 5] },
        durer: { order: 4, kind: 0, givens: [16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 14, 0] },
        five: { order: 5, kind: 0, givens: [0, 0, 1, 0, 0, 0, 0, 7, 0, 0, 4, 10, 13, 16, 22, 0, 0, 19, 0, 0, 0, 0, 25] },
    };
    const engine = new Engine();
    const field = byId("square");
    let order = 4, givens = [], square = null; /* 0 = free; as found, or null */
    let cells = [], sums = [];

    const free = i => !givens[i];
    const value = i => givens[i] || (square ? square[i] : 0);
    /* A line that is not full has no sum. */
    const sum = line => line.every(value) ? line.reduce((total, i) => total + value(i), 0) : null;
    const magic = () => order * (order * order + 1) / 2;

    function lines() {
        const side = [...Array(order).keys()];
        return [...side.map(r => side.map(c => r * order + c)), ...side.map(c => side.map(r => r * order + c)),
                side.map(i => i * order + i), side.map(i => i * order + order - 1 - i)];
    }

    function build(newOrder) {
        order = newOrder;
        givens = Array(order * order).fill(0);
        square = null;
        field.textContent = "";
        field.style.gridTemplateColumns = `repeat(${order}, minmax(0, 1fr)) minmax(30px, 0.6fr)`;
        field.style.setProperty("--n", order);
        cells = [];
        sums = [];
        const addSum = (k, label) => {
            const place = document.createElement("output");
            place.className = "sum";
            place.setAttribute("aria-label", label);
            sums[k] = place;
            field.append(place);
        };
        for (let row = 0; row < order; row++) {
            for (let column = 0; column < order; column++) cellAt(row, column);
            addSum(row, `sum of row ${row + 1}`);
        }
        for (let column = 0; column < order; column++) addSum(order + column, `sum of column ${column + 1}`);
        addSum(2 * order, "sum of the diagonal");
        byId("square-order").value = order;
        byId("square-sum").textContent = grouped.format(magic());
        forget();
    }

    function cellAt(row, column) {
        const i = row * order + column, input = document.createElement("input");
        input.inputMode = "numeric";
        input.autocomplete = "off";
        input.maxLength = 3;
        input.setAttribute("aria-label", `row ${row + 1}, column ${column + 1}`);
        input.oninput = () => {
            const number = Number(input.value.replace(/\D/g, ""));
            givens[i] = number;
            square = null;
            forget(i);
        };
        input.onfocus = () => input.select();
        input.onkeydown = event => {
            const step = { ArrowUp: -order, ArrowDown: order, ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (event.key === "Enter") byId("square-fill").click();
            if (!step || !cells[i + step]) return;
            event.preventDefault();
            cells[i + step].focus();
        };
        cells[i] = input;
        field.append(input);
    }

    /* Shows what is given and found; leaves the cell that is typed in alone. */
    function show(typed = -1) {
        const seen = new Map();
        givens.forEach((number, i) => number && seen.set(number, [...(seen.get(number) || []), i]));
        cells.forEach((cell, i) => {
            if (i !== typed) cell.value = value(i) || "";
            cell.classList.toggle("made", free(i) && Boolean(square));
            const wrong = givens[i] > order * order || (givens[i] && seen.get(givens[i]).length > 1);
            cell.classList.toggle("wrong", Boolean(wrong));
            cell.setAttribute("aria-invalid", Boolean(wrong));
        });
        lines().slice(0, 2 * order + 1).forEach((line, k) => {
            const total = sum(line);
            sums[k].textContent = total === null ? "" : total;
            sums[k].classList.toggle("good", total === magic());
        });
    }

    /* The givens have changed: what was found belongs to others. */
    function forget(typed) {
        engine.stop();
        engine.id++;
        engine.running = false;
        byId("square-next").disabled = true;
        byId("square-count").textContent = byId("square-classes").textContent = "–";
        buttons(false);
        setState("square-state", givens.some(Boolean) ? "Complete it, or count all ways." : "Type the numbers that you know.");
        show(typed);
    }

    function buttons(running) {
        byId("square-fill").textContent = running ? "Stop" : "Complete";
        byId("square-all").disabled = running;
    }

    function start(one) {
        const begun = performance.now();
        let number = 0;
        square = null;
        show();
        buttons(true);
        byId("square-next").disabled = true;
        setState("square-state", "Searching …");
        engine.start({ search: "magic", order, kind: Number(byId("square-kind").value), givens, one }, (event, message) => {
            const took = duration((performance.now() - begun) / 1000);
            if (event === "error") {
                setState("square-state", sentence(message.message), "bad");
            } else if (message.square) {
                square = message.square;
                number++;
                engine.running = false;
                byId("square-next").disabled = false;
                setState("square-state", number === 1 ? `Found in ${took}.` : `Square ${number}.`, "good");
                show();
                cells[0].parentNode.setAttribute("aria-description", `Completed: ${[...square].join(" ")}`);
            } else if (event === "show") {
                byId("square-count").textContent = whole(message.solutions);
                setState("square-state", `Searching … ${progressText(message)}`);
                return;
            } else if (one) {
                byId("square-next").disabled = true;
                setState("square-state", message.stopped ? "Stopped." : number ? "There are no more squares." : "Proven: there is no such square.",
                         message.stopped ? "" : "good");
            } else {
                byId("square-count").textContent = message.ended ? "–" : whole(message.count);
                byId("square-classes").textContent = message.ended ? "–" : whole(message.classes);
                setState("square-state", message.stopped ? "Stopped: so many so far." : `All of them, in ${took}.`, message.stopped ? "" : "good");
            }
            buttons(false);
        });
    }

    byId("square-fill").onclick = () => engine.running ? engine.stop() : start(true);
    byId("square-all").onclick = () => start(false);
    byId("square-next").onclick = () => {
        byId("square-next").disabled = true;
        buttons(true);
        engine.next();
    };
    byId("square-clear").onclick = () => build(order);
    byId("square-order").onchange = event => build(Number(event.target.value));
    byId("square-kind").onchange = () => { square = null; forget(); };
    byId("square-example").onchange = event => {
        const example = EXAMPLES[event.target.value];
        event.target.value = "";
        if (!example) return;
        build(example.order);
        byId("square-kind").value = example.kind;
        example.givens.forEach((number, i) => { givens[i] = number; });
        forget();
    };
    build(4);
}
