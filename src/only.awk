# The part of combgpu.h that a program needs which calls only some of its public functions: these and, from chunk to
# chunk, what they name. A chunk is a definition, a declaration or a macro, with the comment above it. Conditions on
# known macros are decided. The implementation loses its comments and its indentation. src/amalgamate --only
# calls this; nothing here knows a search.
# usage: awk -v kept="CALL ..." -v others="CALL ..." -v rooms="ROOM ..." -v apart="FUNCTION ..." -v defined="MACRO ..."
#            -v undefined="MACRO ..." -f only.awk combgpu.h [SIDECAR ...]
#        kept, others: the entry points that the program needs, and those that it does not
#        apart: other public functions left out, without "combgpu_"
#        SIDECAR: what it names is needed, too; its text is not printed

function fail(what) { print "src/only.awk: line " at ": " what >"/dev/stderr"; failed = 1; exit 1 }
function count(text, sign) { return gsub(sign, "", text) }
function set_of(list, set,    word, k) { for (k = split(list, word, " "); k > 0; k--) set[word[k]] = 1 }

# ---- conditions

# 0 or 1, or -1 if it depends on the build
function decide(text,    name, before) {
    while (match(text, /defined *\(? *[A-Za-z_][A-Za-z0-9_]* *\)?/)) {
        name = substr(text, RSTART + 7, RLENGTH - 7)
        before = substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        gsub(/[ ()]/, "", name)
        text = before (name in off ? "0" : name in on ? "1" : "?") text
    }
    gsub(/ /, "", text)
    if (text !~ /^[01!&|()]+$/) return -1
    do {
        before = text
        gsub(/!0/, "x", text); gsub(/!1/, "0", text); gsub(/x/, "1", text)
        gsub(/\(0\)/, "0", text); gsub(/\(1\)/, "1", text)
        gsub(/1&&1/, "1", text); gsub(/0&&[01]|1&&0/, "0", text)
        if (text !~ /&&/) { gsub(/0\|\|0/, "0", text); gsub(/1\|\|[01]|0\|\|1/, "1", text) }
    } while (text != before)
    return text ~ /^[01]$/ ? text + 0 : -1
}

# Returns a condition's line as it will be, "" for none; `dead` tells whether the lines after it go.
function condition(line,    word, value) {
    match(line, /^ *# *[a-z]+/)
    word = substr(line, 1, RLENGTH)
    value = substr(line, RLENGTH + 1)
    gsub(/[ #]/, "", word)
    sub(/\/\*.*/, "", value)
    if (word == "endif") {
        dead = outer[depth]
        return shown[depth--] ? line : ""
    }
    if (word ~ /^if/) {
        outer[++depth] = dead
        shown[depth] = settled[depth] = 0
    }
    if (outer[depth]) return ""
    if (word ~ /^ifn?def$/) { gsub(/ /, "", value); value = (word == "ifdef" ? "" : "!") "defined(" value ")" }
    value = settled[depth] ? 0 : word == "else" ? 1 : decide(value)
    dead = value == 0
    if (dead) return ""
    if (value == 1) {
        settled[depth] = 1
        return shown[depth] ? "#else" : ""
    }
    if (!shown[depth]++) sub(/elif/, "if", line)
    return line
}

# ---- reading: lines[], code[] (without comments), bare[] (without strings, too)

function strip(line,    rest, end, token) {
    clean = plain = ""
    for (rest = line; rest != "";) {
        if (inside) {
            end = index(rest, "*/")
            if (!end) return
            rest = substr(rest, end + 2)
            inside = 0
        } else if (match(rest, /\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.[^']*)'/)) {
            token = substr(rest, RSTART, RLENGTH)
            clean = clean substr(rest, 1, RSTART - 1)
            plain = plain substr(rest, 1, RSTART - 1)
            rest = substr(rest, RSTART + RLENGTH)
            if (token == "/*") inside = 1
            else { clean = clean token; plain = plain "0" }
        } else {
            clean = clean rest
            plain = plain rest
            rest = ""
        }
    }
}

function keep(line) {
    lines[++at] = line
    commented[at] = inside
    strip(line)
    code[at] = clean
    bare[at] = plain
}

# ---- chunks

# Does the chunk end with line i? `head` is its bare text so far, without a function's body.
function ends(i) {
    if (is_macro) return bare[i] !~ /\\ *$/
    if (bare[i] ~ /^\{/) is_function = 1
    if (is_function) return bare[i] ~ /^\}/
    braces += count(bare[i], "{") - count(bare[i], "}")
    if (braces) return 0
    if (head ~ /[;}] *$/) return 1
    return head ~ /^COMBGPU_[A-Z0-9_]+\(.*\) *$/ && count(head, "\\(") == count(head, "\\)") && bare[i + 1] !~ /^ *[{a-z]/
}

function define(n, name) {
    if (name !~ /^(combgpu|COMBGPU)_/ || (n, name) in defines) return
    defines[n, name] = 1
    homes[name] = homes[name] " " n
    named[n] = 1
}

# The first NAME of a text that matches
function first_name(text, pattern) {
    if (!match(text, pattern)) return ""
    text = substr(text, RSTART, RLENGTH)
    return match(text, /(combgpu|COMBGPU)_[A-Za-z0-9_]+/) ? substr(text, RSTART, RLENGTH) : ""
}

# What chunk n defines. What an invoked macro makes is known later.
function definitions(n, text,    name, part) {
    if (is_macro) {
        name = first_name(text, "define +[A-Za-z0-9_]+")
        define(n, name)
        body[name] = text
        pastes[name] = pastes[name] || text ~ /##/
    } else if (text ~ /^COMBGPU_[A-Z0-9_]+\(/ && !is_function && text !~ /[;}] *$/) {
        invoked[n] = text
    } else if (text ~ /^(typedef )?(struct|enum|union)[^(=]*\{/ || text ~ /^typedef|^(struct|enum|union) [a-z0-9_]+;/) {
        define(n, first_name(text, "^(typedef )?(struct|enum|union) +[a-z0-9_]+ *[{;]"))
        part = text
        if (text ~ /^(typedef )?enum/) {
            sub(/\}[^}]*$/, "", part)
            while (match(part, /COMBGPU_[A-Z0-9_]+/)) {
                define(n, substr(part, RSTART, RLENGTH))
                part = substr(part, RSTART + RLENGTH)
            }
        }
        if (text !~ /^typedef/) return
        name = text ~ /\{/ ? "" : first_name(text, "\\(\\*[a-z0-9_]+\\)")
        if (name == "") name = first_name(text, "[a-z0-9_]+(\\[[^]]*\\])* *; *$")
        define(n, name)
        types[name] = 1
    } else define(n, first_name(text, "combgpu_[a-z0-9_]+ *(\\[[^=;{]*\\])* *[(=;]"))
}

function uses(n, text,    name) {
    while (match(text, /(combgpu|COMBGPU)_[A-Za-z0-9_]*(##)?/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if ((n, name) in used) continue
        used[n, name] = 1
        use[n] = use[n] " " name
    }
}

# A public function or macro that the program does not need
function is_apart(name,    call) {
    sub(/^combgpu_/, "", name)
    if (name in leave) return 1
    for (call in unneeded)
        if (name == call || name == call "_begin" || name == call "_end" || (!(call in room) && index(name, call "_") == 1))
            return 1
    return 0
}

function item(text, what, i) {
    texts[++items] = text
    kinds[items] = what
    public[items] = is_public
    gap[items] = i > 1 && lines[i - 1] ~ /^ *$/
    return items
}

# One chunk from line i on; returns its last line.
function chunk(i,    begin, n, text, whole, name) {
    begin = i
    is_macro = lines[i] ~ /^ *# *define/
    is_function = braces = 0
    head = text = whole = ""
    for (;; i++) {
        if (i > at) { at = begin; fail("a chunk that does not end: " lines[begin]) }
        if (!is_function) head = head (i > begin ? " " : "") bare[i]
        whole = whole " " bare[i]
        if (is_public) text = text lines[i] "\n"
        else if (code[i] !~ /^ *$/) text = text code[i] "\n"
        if (ends(i)) break
    }
    n = item((is_public ? pending : "") text, "chunk", begin)
    if (pending != "") gap[n] = pending_gap
    pending = ""
    gsub(/\\ /, " ", head)
    gsub(/ +/, " ", head)
    definitions(n, head)
    uses(n, whole)
    if (!is_macro) {
        gsub(/[^A-Za-z0-9_]+/, " ", whole)
        words[n] = whole
    }
    if (!is_public) return i
    name = head ~ /^COMBGPU_API/ ? first_name(head, "combgpu_[a-z0-9_]+ ?\\(") : is_macro ? tolower(first_name(head, "COMBGPU_[A-Z0-9_]+")) : ""
    if (name != "" && !is_apart(name)) needed[n] = 1
    return i
}

function comment() {
    if (pending == "") return
    if (is_public) { item(pending, "comment", 1); gap[items] = pending_gap }
    pending = ""
}

function chunks(    i, line, n) {
    is_public = 1
    for (i = 1; i <= at; i++) {
        line = lines[i]
        if (line ~ /^#if defined\(COMBGPU_IMPLEMENTATION\) && !defined\(COMBGPU__IMPLEMENTED\)/) { comment(); is_public = 0 }
        if (line ~ /^ *$/ && !commented[i]) comment()
        else if (commented[i] || (bare[i] ~ /^ *$/ && line ~ /^ *\/\*/)) {
            if (pending == "") pending_gap = i > 1 && lines[i - 1] ~ /^ *$/
            pending = pending line "\n"
        } else if (line ~ /^ *# *[^d ]/ || line ~ /^(extern "C" \{|\})/ || line ~ /^COMBGPU__(COLD|WARM)_(BEGIN|END)$/) {
            if (is_public) comment()
            pending = ""
            n = item((is_public ? line : code[i]) "\n", line ~ /^ *# *(if|el|endif)/ ? "if" : line ~ /^COMBGPU__/ ? "level" : "other", i)
            needed[n] = 1
            uses(n, bare[i])
        } else i = chunk(i)
    }
    comment()
}

# ---- what is needed

# The names that a macro pastes of its text and of these words: what chunk n defines, or what is needed
function pasted(n, name, words,    text, k, m, word, made, part, paste) {
    text = body[name]
    m = split(words, word, " ")
    while (match(text, /[A-Za-z0-9_]*##[A-Za-z0-9_#]*/)) {
        paste = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        for (k = 1; k <= m; k++) {
            split(paste "####", part, "##")
            made = part[1] ~ /^(combgpu|COMBGPU)_/ ? part[1] word[k] part[3] : word[k] part[2]
            if (!n) reach(made)
            else if (!(made in types)) define(n, made)
        }
    }
}

function invocations(    n, text, name) {
    for (n in invoked) {
        text = invoked[n]
        name = text
        sub(/\(.*/, "", name)
        sub(/^[^(]*\(/, "", text)
        gsub(/[^A-Za-z0-9_]+/, " ", text)
        define(n, substr(text, 1, index(text " ", " ") - 1))
        if (pastes[name]) pasted(n, name, text)
    }
}

function take(n) { if (!(n in taken)) { taken[n] = 1; todo[++waiting] = n } }

function reach(name,    k, m, home) {
    if (name ~ /##$/) { # all names that begin so, unless all do
        sub(/##$/, "", name)
        if (name !~ /^(combgpu|COMBGPU)__?$/) for (k in homes) if (index(k, name) == 1) reach(k)
        return
    }
    if (name in reached) return
    reached[name] = 1
    m = split(homes[name], home, " ")
    for (k = 1; k <= m; k++) take(home[k])
    if (pastes[name]) pasted(0, name, rooms " " toupper(rooms))
}

function mark(    n, k, word) {
    for (n = 1; n <= items; n++) if (kinds[n] != "comment" && (n in needed || !(n in named))) take(n)
    n = 0
    for (;;) {
        for (k = split(use[n], word, " "); k > 0; k--) {
            reach(word[k])
            if (n && pastes[word[k]]) pasted(0, word[k], words[n])
        }
        if (!waiting) break
        n = todo[waiting--]
    }
}

# ---- printing

# A line of the implementation, without indentation; lines that go on are joined
function compact(text,    line, k, m, deep, result, open, directive, start) {
    gsub(/ +\\\n/, " \\\n", text)
    m = split(text, line, "\n")
    for (k = 1; k < m; k++) {
        match(line[k], /^ */)
        deep = RLENGTH > 0
        line[k] = substr(line[k], RLENGTH + 1)
        sub(/ +$/, "", line[k])
        if (line[k] == "") continue
        if (open && deep && length(result) - start + length(line[k]) < 160) result = result " " line[k]
        else {
            if (result != "") result = result "\n"
            start = length(result)
            result = result line[k]
        }
        directive = line[k] ~ /^#/ || (directive && line[k - 1] ~ /\\$/)
        open = !directive && line[k] !~ /[;{}:\\]$/ && line[k + 1] !~ /^ *#/
    }
    return result "\n"
}

# Conditions and levels of optimisation around nothing go, and headings of nothing.
function print_all(    n, k, outs, level, text, was, opened, out, lone) {
    for (n = 1; n <= items; n++) {
        if (kinds[n] != "comment" && !(n in taken)) continue
        text = texts[n]
        lone = outs && kinds[out[outs]] == "comment" && texts[out[outs]] ~ /^\/\* (----|====)[^\n]*\n$/
        if (kinds[n] == "comment" && lone || kinds[n] == "if" && text ~ /endif/ && lone) outs--
        if (kinds[n] == "if" && text ~ /^ *# *if/) opened[++level] = outs + 1
        if (kinds[n] == "if" && text ~ /^ *# *endif/) {
            for (k = opened[level]; k <= outs && kinds[out[k]] == "if"; k++) continue
            if (k > outs) { outs = opened[level--] - 1; continue }
            level--
        }
        if (kinds[n] == "level" && outs && kinds[out[outs]] == "level") {
            was = texts[out[outs]]
            if ((was ~ /_BEGIN/) != (text ~ /_BEGIN/) && substr(was, 1, 13) == substr(text, 1, 13)) { outs--; continue }
        }
        out[++outs] = n
    }
    for (k = 1; k <= outs; k++) {
        n = out[k]
        if (public[n] && gap[n] && k > 1) print ""
        printf "%s", public[n] || kinds[n] == "if" ? texts[n] : compact(texts[n])
    }
}

BEGIN {
    set_of(undefined, off); set_of(defined, on); set_of(rooms, room); set_of(others, unneeded); set_of(apart, leave)
}
FILENAME != ARGV[1] { strip($0); uses(0, plain); next }
!inside && /^ *# *(if|ifdef|ifndef|elif|else|endif)/ {
    flat = $0
    while (flat ~ /\\$/ && (getline more) > 0) { sub(/ *\\$/, "", flat); sub(/^ +/, " ", more); flat = flat more }
    flat = condition(flat)
    if (flat != "") keep(flat)
    next
}
dead { strip($0); next }
{ keep($0) }
END {
    if (failed) exit 1
    chunks()
    invocations()
    mark()
    print_all()
}
