/* combgpu perm: lists, ranks, draws and checks permutations of all elements. */
#ifndef COMBGPU_EXAMPLES_PERM_H
#define COMBGPU_EXAMPLES_PERM_H

#include "combgpu_input.h"
#include "combgpu_result.h"
#include "combgpu_words.h"

/* ---- 128-bit numbers in decimal digits */

static combgpu_u128 times_ten_plus(combgpu_u128 x, unsigned digit, int *overflow)
{
    uint64_t low = (x.lo & 0xffffffffu) * 10 + digit;
    uint64_t middle = (x.lo >> 32) * 10 + (low >> 32);
    uint64_t high = (x.hi & 0xffffffffu) * 10 + (middle >> 32);
    uint64_t top = (x.hi >> 32) * 10 + (high >> 32);
    *overflow |= (top >> 32) != 0;
    x.lo = middle << 32 | (low & 0xffffffffu);
    x.hi = top << 32 | (high & 0xffffffffu);
    return x;
}

/* The option's value; 0 if it is not given. */
static combgpu_u128 u128_of(int id)
{
    const char *text = text_of(id), *at;
    combgpu_u128 value = {0, 0};
    int overflow;
    if (!text) return value;
    overflow = !*text;
    for (at = text; *at; at++) {
        if (*at < '0' || *at > '9') overflow = 1;
        value = times_ten_plus(value, (unsigned)(*at - '0') % 10, &overflow);
    }
    if (overflow) wrong_value(id, text, options[id].may_be);
    return value;
}

static int u128_below(combgpu_u128 a, combgpu_u128 b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

/* ---- permutations on the command line */

/* The words of --items, equal ones once, in the order in which they first occur. */
static struct {
    const char *word[64];
    uint8_t repeats[64];  /* how often each occurs */
    int count, different; /* all words; 0 = numbers wanted */
} items;

/* Splits "red green green" in place. */
static void parse_items(char *text)
{
    static const char ends[] = " ,\t\r\n";
    char *word;
    int i;
    for (word = strtok(text, ends); word; word = strtok(NULL, ends)) {
        if (items.count++ == 64) usage("--items: at most 64 words");
        i = word_number(items.word, items.different, word, strlen(word));
        items.word[i] = word;
        if (i == items.different) items.different++;
        items.repeats[i]++;
    }
    if (!items.count) usage("--items: at least one word");
}

/* Returns the first of the words that occur several times; NULL if all differ. */
static const char *equal_items(void)
{
    int i = 0;
    while (i < items.different && items.repeats[i] == 1)
        i++;
    return i < items.different ? items.word[i] : NULL;
}

/* The option's value as numbers 0 .. largest, at least one and at most `most`, with blanks or commas
   between them, like "2 0 1"; returns how many. "-" reads standard input. */
static int read_numbers(int id, uint8_t *numbers, int most, uint64_t largest)
{
    const char *text = text_of(id), *at;
    char *from_stdin = strcmp(text, "-") ? NULL : read_file(option_name(id), text, NULL);
    int n = 0;
    if (from_stdin) {
        text = from_stdin;
        from_stdin[strcspn(from_stdin, "\r\n")] = 0;
    }
    for (at = text + strspn(text, " ,"); *at; at += strspn(at, " ,")) {
        char word[8] = "";
        size_t length = strcspn(at, " ,");
        uint64_t value;
        if (length < sizeof word) memcpy(word, at, length);
        if (n == most)
            usage("%s has more than %d numbers, which is the limit", option_name(id), most);
        if (id == OPTION_RANK && items.count) {
            value = (uint64_t)word_number(items.word, items.different, at, length);
            if (value == (uint64_t)items.different)
                usage("--rank: \"%.*s\" is not in --items", (int)(length < 60 ? length : 60), at);
        } else if (!parse_u64(word, &value) || value > largest)
            wrong_value(id, text, options[id].may_be);
        numbers[n++] = (uint8_t)value;
        at += length;
    }
    if (!n) wrong_value(id, text, options[id].may_be);
    free(from_stdin);
    return n;
}

/* A line, or a list in the object of --json: of words if there are --items. */
static void print_numbers(const char *key, const uint8_t *numbers, int count)
{
    int i;
    json_open(key, '[');
    for (i = 0; i < count; i++) {
        if (items.count)
            tell_string(NULL, "%s", items.word[numbers[i]]);
        else
            tell_u64(NULL, "%s", numbers[i]);
        say(i == count - 1 ? "\n" : " ");
    }
    json_close();
}

static void list_bytes(const uint8_t *perm, int n)
{
    const char *words[64];
    int numbers[64], i;
    for (i = 0; i < n; i++)
        if (items.count)
            words[i] = items.word[perm[i]];
        else
            numbers[i] = perm[i];
    if (items.count)
        list_words(words);
    else
        list_item(NULL, numbers);
}

/* --rank, --next, --previous, --inverse, --parity. Exit status 1 for the next of the last
   permutation and the previous of the first. */
static int perm_single(int id)
{
    uint8_t perm[34];
    int n = read_numbers(id, perm, 34, 33), odd = 0, end, exists = 1;
    combgpu_u128 rank;
    combgpu_context *ctx = open_cpu("perm");
    combgpu_status status;
    if (given(OPTION_N) && (uint64_t)n != number_of(OPTION_N, 0))
        usage("%s has %d numbers, and --n is %s", option_name(id), n, text_of(OPTION_N));
    status = combgpu_perm_rank128(ctx, n, perm, &rank); /* is it a permutation? */
    if (status < 0) return failed(ctx, status);
    json_string("status", "ok");
    json_u64("n", (uint64_t)n);
    if (id == OPTION_RANK)
        tell_digits("rank", "%s\n", u128_text(rank));
    else if (id == OPTION_PARITY) {
        combgpu_perm_parity(ctx, n, perm, &odd);
        tell_string("parity", "%s\n", odd ? "odd" : "even");
    } else {
        if (id == OPTION_INVERSE)
            combgpu_perm_inverse(ctx, n, perm, perm);
        else {
            exists =
                id == OPTION_PREVIOUS ? combgpu_perm_previous(n, perm) : combgpu_perm_next(n, perm);
            json_bool("exists", exists);
        }
        if (exists)
            print_numbers("permutation", perm, n);
        else
            say("none: this is the %s\n", id == OPTION_PREVIOUS ? "first" : "last");
    }
    end = finish(ctx, NULL);
    return end ? end : !exists;
}

static int perm_unrank(int n, combgpu_u128 rank)
{
    uint8_t perm[34];
    combgpu_context *ctx = open_cpu("perm");
    combgpu_status status = combgpu_perm_unrank128(ctx, n, rank, perm);
    if (status < 0) return failed(ctx, status);
    json_string("status", "ok");
    json_u64("n", (uint64_t)n);
    print_numbers("permutation", perm, n);
    return finish(ctx, NULL);
}

/* --random: `count` permutations of the stream --seed, from number `first` on. */
static int perm_random(int n, uint64_t first, uint64_t count)
{
    uint8_t perm[34];
    uint64_t seed = number_of(OPTION_SEED, 1), i;
    int broken;
    combgpu_context *ctx = open_cpu("perm");
    combgpu_run_info info;
    memset(&info, 0, sizeof info);
    json_u64("n", (uint64_t)n);
    json_u64("seed", seed);
    list_begin("permutations", NULL, 1, n, 1);
    for (i = 0; i < count && !stop_wanted(); i++) {
        combgpu_status status = combgpu_perm_random(ctx, n, seed, first + i, perm);
        if (status < 0) return failed(ctx, status);
        list_bytes(perm, n);
    }
    info.status = i < count ? COMBGPU_STOPPED : COMBGPU_OK;
    broken = list_end();
    json_status(info.status);
    run.many = 1;
    if (info.status == COMBGPU_STOPPED && !broken && !ferror(stdout))
        fprintf(stderr, "%s: continue with --first %llu --random %llu\n", cmd.program,
                (unsigned long long)(first + i), (unsigned long long)(count - i));
    return finish(ctx, &info);
}

/* Returns the text of --check FILE: with --items, lines of their numbers. */
static char *read_check(size_t *bytes, int length)
{
    const char *path = text_of(OPTION_CHECK);
    char *text = read_file("--check", path, bytes), *numbers;
    if (!items.count) return text;
    if (given(OPTION_FORMAT)) usage("--check with --items recognises the format itself");
    numbers = word_numbers(text, *bytes, items.word, items.different, length, path);
    free(text);
    *bytes = strlen(numbers);
    return numbers;
}

/* --check FILE: checks permutations and their order. Exit status 1 if one is wrong. */
static int perm_check(int n)
{
    size_t bytes, r;
    char *text = read_check(&bytes, n);
    uint64_t good = 0, first_wrong = 0, out_of_order = 0;
    combgpu_u128 rank, before = {0, 0}, first = {0, 0};
    char why[200] = "", first_text[40];
    combgpu_context *ctx;
    uint8_t perm[64];
    table t;
    const size_t wanted = (size_t)n; /* 0: of any length */
    int end;
    read_table(&t, text, bytes, OPTION_CHECK, (size_t)n);
    free(text);
    ctx = open_cpu("perm");
    for (r = 0; r < t.rows; r++) {
        const int *row;
        size_t length = table_get(&t, r, &row), i;
        int fits = length >= 1 && length <= 34 && (!wanted || length == wanted);
        for (i = 0; i < length && fits; i++) {
            fits = row[i] >= 0 && row[i] < (int)length;
            perm[i] = (uint8_t)(fits ? row[i] : 0);
        }
        if (fits && combgpu_perm_rank128(ctx, (int)length, perm, &rank) >= 0) {
            if (good && !u128_below(before, rank) && !out_of_order) out_of_order = r + 1;
            if (!good) first = rank;
            before = rank;
            good++;
            n = (int)length;
        } else if (!first_wrong) {
            char text_of_why[200];
            first_wrong = r + 1;
            snprintf(why, sizeof why, "%s",
                     fits ? translate(combgpu_message(ctx), text_of_why, sizeof text_of_why)
                     : items.count ? "each of --items must occur once"
                     : wanted      ? "each of 0 .. n-1 must occur once"
                                   : "each of 0 .. n-1 must occur once, n from 1 to 34");
        }
    }
    snprintf(first_text, sizeof first_text, "%s", u128_text(first));
    json_string("status", "ok");
    json_u64("n", (uint64_t)n);
    json_u64("checked", t.rows);
    json_u64("permutations", good);
    say("%s of %s lists are permutations", commas(good), commas(t.rows));
    tell_digits("first_rank", good ? ", the first of rank %s" : "%.0s", first_text);
    tell_digits("last_rank", good ? ", the last of %s" : "%.0s", u128_text(before));
    json_bool("in_order", !out_of_order);
    say(out_of_order ? "; number %s is out of order\n" : "%.0s%s", commas(out_of_order),
        good > 1 ? ", in order\n" : "\n");
    if (first_wrong) {
        tell_u64("first_wrong", "number %s is not one", first_wrong);
        say(": %s\n", why);
    }
    good = t.rows - good;
    table_free(&t);
    end = finish(ctx, NULL);
    return end ? end : good != 0;
}

/* ---- ranges */

/* --list: in order, chunk by chunk through memory. length: numbers per item; key: name of the list in
   JSON. */
static int perm_list(combgpu_context *ctx, combgpu_perm_desc *desc, uint64_t count, int length,
                     const char *key)
{
    static uint8_t memory[130000];
    const uint64_t piece = sizeof memory / 64;
    combgpu_perm_result result;
    combgpu_run_info total;
    combgpu_status status;
    uint64_t done = 0, i;
    int width = 1, broken, k;
    if (given(OPTION_FORECAST)) usage("--forecast cannot be combined with a list of permutations");
    memset(&total, 0, sizeof total);
    desc->out = memory;
    desc->out_bytes = sizeof memory;
    desc->solution = NULL;
    run.progress = PROGRESS_NONE; /* the list is progress enough */
    desc->run = run.desc;
    for (k = 0; k < items.different; k++)
        if ((int)strlen(items.word[k]) > width) width = (int)strlen(items.word[k]);
    list_begin(key, NULL, 1, length, width);
    list.words = items.count > 0;
    if (list.words && list.format == LIST_BYTES)
        usage("--format bytes: --items are words; npy holds them");
    while (done < count && total.status == COMBGPU_OK) {
        desc->count = count - done < piece ? count - done : piece;
        status = combgpu_perm(ctx, desc, &result);
        if (status < 0) return failed(ctx, status);
        if (status == COMBGPU_OK) {
            for (i = 0; i < desc->count; i++)
                list_bytes(memory + i * (uint64_t)length, length);
            done += desc->count;
            desc->first += desc->count;
            desc->first_hi += desc->first < desc->count;
        }
        total.status = stop_wanted() && done < count ? COMBGPU_STOPPED : status;
    }
    broken = list_end();
    if (desc->n) json_u64("n", (uint64_t)desc->n);
    json_u64("count", done);
    json_status(total.status);
    run.many = 1;
    if (total.status == COMBGPU_STOPPED && !broken &&
        !ferror(stdout)) { /* else unknown what is written */
        combgpu_u128 first;
        first.lo = desc->first, first.hi = desc->first_hi;
        fprintf(stderr, "%s: resume with --first %s --count %llu\n", cmd.program, u128_text(first),
                (unsigned long long)(count - done));
    }
    return finish(ctx, &total);
}

/* The library's solution callback: `count` permutations of n bytes each, from `rank` on. */
static int perm_use(uint64_t rank, const uint8_t *perms, uint64_t count, int n, void *user)
{
    (void)rank, (void)perms, (void)count, (void)n, (void)user;
    return 0; /* a program would use them here */
}

enum { TO_CHUNKS, TO_HOST, TO_DEVICE };

/* Allocates memory for the range and fills it once: its pages then exist, and the time is known. */
static combgpu_status memory_for(combgpu_context *ctx, combgpu_perm_desc *desc, int to,
                                 combgpu_device_memory *memory, double *fill_s)
{
    size_t object = (size_t)desc->n * (size_t)desc->item_bytes;
    combgpu_context_desc host;
    combgpu_context *owner = ctx;
    combgpu_status status;
    memset(memory, 0, sizeof *memory);
    if (to == TO_CHUNKS) return COMBGPU_OK;
    if (desc->count > SIZE_MAX / object)
        usage("--count is %llu: more than any memory holds", (unsigned long long)desc->count);
    memset(&host, 0, sizeof host);
    host.backend = COMBGPU_BACKEND_CPU;
    if (to == TO_HOST && combgpu_open(&owner, &host)) return COMBGPU_OUT_OF_MEMORY;
    status = combgpu_device_allocate(owner, (size_t)desc->count * object, memory);
    if (!status) status = combgpu_device_fill(owner, memory, 0, fill_s);
    if (!status) status = combgpu_device_fill(owner, memory, 0, fill_s);
    if (status) {
        terminal_clear();
        fprintf(stderr, "%s: %s\n", cmd.program, combgpu_message(owner));
    }
    if (to == TO_HOST) {
        desc->out = memory->memory;
        desc->out_bytes = memory->bytes;
        combgpu_close(owner);
    } else
        desc->device_out = *memory;
    return status;
}

/* `count` per second in that time; 0 if unknown. */
static uint64_t per_second(double count, double seconds)
{
    return (uint64_t)(seconds > 0 ? count / seconds : 0);
}

static void tell_perm_result(const combgpu_perm_desc *desc, int to, double fill_s,
                             const combgpu_perm_result *result)
{
    static const char *const places[] = {"chunks", "host", "device"};
    double bytes = (double)result->visited * desc->n * desc->item_bytes;
    double write_s = to == TO_HOST && result->run.backend != COMBGPU_BACKEND_CPU
                         ? result->run.seconds
                         : result->run.device_seconds;
    char speed[32];
    tell_u64("n", "n = %s: ", (uint64_t)desc->n);
    json_u64("first", desc->first);
    if (desc->first_hi) json_u64("first_hi", desc->first_hi);
    tell_u64("count", "%s permutations", result->visited);
    say("%s", so_far(result->run.status));
    tell_about("per_second", ", %s per second\n",
               per_second((double)result->visited, result->run.seconds));
    tell_string("to", to == TO_CHUNKS ? "%.0s" : "to %s: ", places[to]);
    if (to != TO_CHUNKS) {
        short_number(write_s > 0 ? bytes / write_s : 0, speed, sizeof speed);
        say("%s bytes in ", commas((uint64_t)bytes));
        tell_seconds("write_seconds", "%.6f s", write_s);
        say(", %s bytes per second; ", speed);
        tell_seconds("fill_seconds", "zeroing it takes %.6f s\n", fill_s);
    }
    tell_run(&result->run);
}

static int perm_run(combgpu_perm_desc *desc, int to)
{
    static combgpu_perm_result result;
    combgpu_device_memory memory;
    combgpu_status status;
    combgpu_context *ctx;
    char label[40];
    double fill_s = 0;
    snprintf(label, sizeof label, "perm, n = %d", desc->n);
    ctx = open_context(label);
    desc->run = run.desc;
    if (to == TO_CHUNKS) desc->solution = perm_use;
    status = memory_for(ctx, desc, to, &memory, &fill_s);
    if (!status && given(OPTION_FORECAST)) {
        combgpu_job *job = NULL;
        status = combgpu_perm_begin(ctx, desc, &job);
        return forecast(ctx, status, &job);
    }
    if (!status) status = ended(ctx, combgpu_perm(ctx, desc, &result), &result.run);
    if (status < 0) return failed(ctx, status);
    terminal_clear();
    tell_perm_result(desc, to, fill_s, &result);
    if (to == TO_HOST)
        free(memory.memory);
    else
        combgpu_device_release(ctx, &memory);
    return finish(ctx, &result.run);
}

/* Sets the range of --first and --count. */
static void perm_range(combgpu_perm_desc *desc)
{
    combgpu_u128 first = u128_of(OPTION_FIRST), all = combgpu_factorial(desc->n);
    desc->count = number_of(OPTION_COUNT, 0);
    if (!u128_below(first, all))
        usage("--first: with --n %d it must be below %d! = %s", desc->n, desc->n, u128_text(all));
    all.hi -= first.hi + (all.lo < first.lo);
    all.lo -= first.lo;
    if (!desc->count && all.hi) usage("--n %d needs --count", desc->n);
    if (!desc->count) desc->count = all.lo;
    if (!all.hi && desc->count > all.lo)
        usage("--count is %llu; from --first on it may be 1 to %s", (unsigned long long)desc->count,
              u128_text(all));
    desc->first = first.lo;
    desc->first_hi = first.hi;
}

static int perm_family(void); /* combgpu_family.h */
static int perm_sum(void);    /* combgpu_sum.h */

/* --verify does not recompute written members. */
static void perm_not_verified(void)
{
    if (given(OPTION_VERIFY))
        usage("--verify does not recompute what is written; --check FILE reads a list back, and "
              "--fixed-points works with --verify");
}

/* Returns the text of --items, which the words are in. */
static char *read_items(void)
{
    char *text;
    if (!list_wanted() && !given(OPTION_CHECK) && !given(OPTION_RANK) && !given(OPTION_UNRANK))
        usage("--items needs --list, --check, --rank or --unrank");
    text = text_or_file(OPTION_ITEMS);
    parse_items(text);
    if (given(OPTION_N) && number_of(OPTION_N, 0) != (uint64_t)items.count)
        usage("--items has %d words, and --n is %s", items.count, text_of(OPTION_N));
    return text;
}

static int command_perm(void)
{
    static const int singles[] = {
        OPTION_RANK,   OPTION_NEXT,   OPTION_PREVIOUS, OPTION_INVERSE, OPTION_PARITY,
        OPTION_UNRANK, OPTION_RANDOM, OPTION_CHECK,    OPTION_TO,      -1};
    static const int not_single[] = {OPTION_LIST,  OPTION_FORMAT, OPTION_OUTPUT,
                                     OPTION_FIRST, OPTION_COUNT,  -1};
    static const int not_check[] = {OPTION_LIST, OPTION_OUTPUT, OPTION_FIRST, OPTION_COUNT, -1};
    static const int no_items[] = {OPTION_NEXT,
                                   OPTION_PREVIOUS,
                                   OPTION_INVERSE,
                                   OPTION_PARITY,
                                   OPTION_RANDOM,
                                   OPTION_FIXED_POINTS,
                                   -1};
    static const int no_list[] = {OPTION_TO, OPTION_SHARD, OPTION_CHECKPOINT, OPTION_TIME_LIMIT,
                                  -1};
    combgpu_perm_desc desc;
    char *all_words = NULL;
    int id, n, item_bytes = int_of(OPTION_ITEM_BYTES, 1, 8, 1), end;
    exclusive(singles);
    for (id = 0; id < 8; id++)
        searches_nothing(singles[id]);
    for (id = 0; id < 6; id++)
        goes_without(singles[id], not_single);
    goes_without(OPTION_CHECK, not_check);
    check_recognises();
    goes_without(OPTION_ITEMS, no_items);
    goes_without(OPTION_FIXED_POINTS, singles);
    goes_with(OPTION_ITEM_BYTES, OPTION_TO);
    if (!given(OPTION_FORECAST)) goes_with(OPTION_SEED, OPTION_RANDOM);
    goes_without(OPTION_RANDOM, not_check + 3);
    for (id = 0; list_wanted() && no_list[id] >= 0; id++)
        if (given(no_list[id]))
            usage("--list cannot be combined with %s; use --first and --count",
                  option_name(no_list[id]));
    if (given(OPTION_SUM) || given(OPTION_PRODUCT)) return perm_sum();
    if (given(OPTION_VALUES)) usage("--values needs --sum or --product");
    if (given(OPTION_ITEMS)) all_words = read_items();
    if (given(OPTION_FAMILY) || given(OPTION_REPEATS) || given(OPTION_K) ||
        given(OPTION_FIXED_POINTS) ||
        (items.count && (equal_items() || given(OPTION_RANK) || given(OPTION_UNRANK)))) {
        end = perm_family();
        free(all_words);
        return end;
    }
    for (id = 0; id < 5; id++)
        if (given(singles[id])) return perm_single(singles[id]);
    if (item_bytes & (item_bytes - 1))
        usage("--item-bytes is %d; it may be 1, 2, 4 or 8", item_bytes);
    n = int_of(OPTION_N, 1, 34, 0);
    if (items.count > 34) usage("--items: at most 34 different words");
    if (items.count) n = items.count;
    if (given(OPTION_CHECK)) {
        end = perm_check(n);
        free(all_words);
        return end;
    }
    if (!n) usage("--n N is needed; --help lists the options");
    if (given(OPTION_UNRANK)) {
        combgpu_u128 rank = u128_of(OPTION_UNRANK);
        if (!u128_below(rank, combgpu_factorial(n)))
            usage("--unrank: the rank must be below %d! = %s", n, u128_text(combgpu_factorial(n)));
        return perm_unrank(n, rank);
    }
    if (given(OPTION_RANDOM)) {
        if (u128_of(OPTION_FIRST).hi) usage("--first: with --random it must be below 2^64");
        return perm_random(n, u128_of(OPTION_FIRST).lo, number_of(OPTION_RANDOM, 1));
    }
    perm_not_verified();
    memset(&desc, 0, sizeof desc);
    desc.n = n;
    desc.item_bytes = item_bytes;
    perm_range(&desc);
    if (!list_wanted()) return perm_run(&desc, (int)number_of(OPTION_TO, 0));
    end = perm_list(open_context("perm"), &desc, desc.count, n, "permutations");
    free(all_words);
    return end;
}

#endif
