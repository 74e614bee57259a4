/* Translates the library's messages for the command line: options for the API's fields, and values as
   typed. */
#ifndef COMBGPU_EXAMPLES_MESSAGES_H
#define COMBGPU_EXAMPLES_MESSAGES_H

#include "combgpu_output.h"

/* A command's last change to a message; may be NULL. */
static void (*message_hook)(char *text, size_t size);

static const char *message_source; /* the file that the library read last */

static const struct {
    const char *field;
    int id;
} fields[] = {{"symmetry", OPTION_CLASS},
              {"on", OPTION_POINT_ON},
              {"off", OPTION_POINT_OFF},
              {"n", OPTION_N},
              {"order", OPTION_ORDER},
              {"kind", OPTION_KIND},
              {"givens", OPTION_GIVENS},
              {"numbers", OPTION_NUMBERS},
              {"sum", OPTION_SUM},
              {"limit", OPTION_LIMIT},
              {"samples", OPTION_SAMPLES},
              {"relative_error", OPTION_ERROR},
              {"first", OPTION_FIRST},
              {"first", OPTION_DIAGONALS},
              {"count", OPTION_COUNT},
              {"count", OPTION_DIAGONALS},
              {"count", OPTION_BATCH},
              {"family", OPTION_FAMILY},
              {"set", OPTION_FAMILY},
              {"k", OPTION_K},
              {"repeats", OPTION_REPEATS},
              {"rank", OPTION_UNRANK},
              {"perm", OPTION_RANK},
              {"perm", OPTION_NEXT},
              {"perm", OPTION_PREVIOUS},
              {"perm", OPTION_INVERSE},
              {"perm", OPTION_PARITY},
              {"perm", OPTION_CHECK},
              {"item_bytes", OPTION_ITEM_BYTES},
              {"path_start", OPTION_START},
              {"path_end", OPTION_END},
              {"start", OPTION_FROM},
              {"method", OPTION_METHOD},
              {"metric", OPTION_METRIC},
              {"tour", OPTION_CHECK},
              {"instance.n", OPTION_RANDOM},
              {"instance->n", OPTION_RANDOM},
              {"instance->before", OPTION_BEFORE},
              {"instance->fixed", OPTION_EDGE},
              {"backend", OPTION_BACKEND},
              {"devices", OPTION_DEVICES},
              {"device", OPTION_DEVICE},
              {"threads", OPTION_THREADS},
              {"shard_count", OPTION_SHARD},
              {"shard_index", OPTION_SHARD},
              {"time_limit_s", OPTION_TIME_LIMIT},
              {"slice_ms", OPTION_SLICE_MS},
              {"slice_limit_s", OPTION_SLICE_LIMIT},
              {"checkpoint_path", OPTION_CHECKPOINT},
              {"checkpoint_interval_s", OPTION_CHECKPOINT_INTERVAL},
              {"resume", OPTION_RESUME},
              {"merge_paths", OPTION_MERGE},
              {"verify_share", OPTION_VERIFY},
              {"verify", OPTION_VERIFY},
              {"memory_limit", OPTION_MEMORY_LIMIT}};

static int is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the option of the field at `at`, or -1; of several, the given one. *length: of the field. */
static int option_of_field(const char *at, size_t *length)
{
    size_t i, size;
    int id = -1;
    for (i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size = strlen(fields[i].field);
        if (strncmp(at, fields[i].field, size) || is_word_character(at[size])) continue;
        if (!(options[fields[i].id].commands >> cmd.command & 1)) continue;
        if (id >= 0 && !given(fields[i].id)) continue;
        id = fields[i].id;
        *length = size;
    }
    return id;
}

/* Nonzero if this word without an owner is a field: at the beginning of the message it is the
   subject; elsewhere it has a name or an index. */
static int bare_field(const char *at, size_t length, int begins)
{
    if (at[length] == '[' || memchr(at, '_', length)) return 1;
    return begins && (!strncmp(at + length, " is ", 4) || at[length] == ':');
}

/* Copies a message of the library. Where it counts cities, positions and instances from 0, they count from 1
   here, as in the command line. */
static void count_from_1(const char *message, char *text, size_t size)
{
    static const char *const words[] = {"city ", "cities ", "and ", "place ", "instance "};
    static const char *const remarks[] = {" (counted from 0)", " (all counted from 0)"};
    const int from_0 = strstr(message, "counted from 0)") != NULL;
    size_t to = 0, i;
    while (*message && to + 24 < size) {
        const char *number = message, *digits;
        for (i = 0; from_0 && i < 2; i++)
            if (!strncmp(message, remarks[i], strlen(remarks[i]))) message += strlen(remarks[i]);
        for (i = 0; from_0 && i < 5; i++)
            if (!strncmp(message, words[i], strlen(words[i]))) number = message + strlen(words[i]);
        digits = number + (*number == '-'); /* a file's 0 is city -1 */
        if (number > message && *digits >= '0' && *digits <= '9') {
            to += (size_t)snprintf(text + to, size - to, "%.*s%lld", (int)(number - message),
                                   message, strtoll(number, NULL, 10) + 1);
            message = digits + strspn(digits, "0123456789");
        } else if (*message)
            text[to++] = *message++;
    }
    text[to] = 0;
}

/* If the text begins with one of the option's choices, perhaps with blanks and capitals ("Brute force" for
   brute-force), returns the name's length there, and the choice; else 0. */
static size_t choice_at(int id, const char *text, const char **choice, int *length)
{
    int i;
    for (i = 0; (*length = nth_word(options[id].may_be, i, choice)) >= 0; i++) {
        size_t at = 0;
        int k = 0;
        while (k < *length) {
            char c = text[at] >= 'A' && text[at] <= 'Z' ? (char)(text[at] + 32) : text[at];
            if (c == (*choice)[k])
                at++, k++;
            else if ((*choice)[k] == '-')
                k++;
            else if (at && (c == ' ' || c == '-'))
                at++;
            else
                break;
        }
        if (k == *length && !is_word_character(text[at])) return at;
    }
    return 0;
}

/* Copies the choice at *at of a message as users write it: for " brute force" behind the option's name, if
   `named`, else for "1 (brute force)". Returns 0 if there is none. */
static int copy_choice(int id, int named, const char **at, char *text, size_t size, size_t *to)
{
    const char *name = *at, *choice;
    size_t length;
    int choice_length;
    if (named) {
        name += *name == ' ';
    } else {
        name += strspn(name, "0123456789");
        if (name == *at || strncmp(name, " (", 2)) return 0;
        name += 2;
    }
    length = choice_at(id, name, &choice, &choice_length);
    if (!length || (!named && name[length] != ')')) return 0;
    *to +=
        (size_t)snprintf(text + *to, size - *to, "%s%.*s", named ? " " : "", choice_length, choice);
    *at = name + length + !named;
    return 1;
}

/* Replaces what follows an option's name by what was typed: a shard I/K, a name; and drops "of the
   context". */
static const char *behind_option(int id, const char *at, char *text, size_t size, size_t *to)
{
    static const char context[] = " of the context";
    size_t is = strncmp(at, " is ", 4) ? 0 : 3, digits;
    if (id == OPTION_MEMORY_LIMIT && !strncmp(at, context, strlen(context)))
        return at + strlen(context);
    digits = at[is] == ' ' ? strspn(at + is + 1, "0123456789") : 0;
    if (!digits || !text_of(id) || (id != OPTION_SHARD && options[id].kind != CHOICE)) return at;
    if (options[id].kind == CHOICE && at[is + 1 + digits] == ' ') return at; /* a name follows */
    *to += (size_t)snprintf(text + *to, size - *to, "%.*s %.30s", (int)is, at, text_of(id));
    return at + is + 1 + digits;
}

/* Replaces fields like "desc.n", "set->k", "run.shard_count", or "n" at the beginning, by options. */
static const char *translate(const char *message, char *text, size_t size)
{
    static const char *const owners[] = {"desc->run.", "desc.run.", "desc->set->",
                                         "desc.set->", "desc->",    "desc.",
                                         "set->",      "run.",      ""};
    char from_1[700];
    const char *at = from_1, *choice;
    size_t to = 0;
    int chooser = -1, choice_length; /* chooser: the last option with choices */
    count_from_1(message, from_1, sizeof from_1);
    if (message_source && !strncmp(at, "text, line", 10)) {
        to += (size_t)snprintf(text, size, "%.*s", (int)(size / 2), message_source);
        at += 4;
    }
    while (*at && to + 40 < size) {
        size_t i = 0, length = 0, skip;
        int id = -1;
        if (at == from_1 || !is_word_character(at[-1]))
            for (i = 0; i < sizeof owners / sizeof owners[0] && id < 0; i++) {
                skip = strlen(owners[i]);
                if (strncmp(at, owners[i], skip)) continue;
                id = option_of_field(at + skip, &length);
                if (!skip && id >= 0 && !bare_field(at, length, at == from_1)) id = -1;
                length += skip;
            }
        if (id < 0) {
            int whole = at == from_1 || !is_word_character(at[-1]);
            if (whole && cmd.command == COMMAND_PERM && !strncmp(at, "family ", 7) &&
                choice_at(OPTION_FAMILY, at + 7, &choice, &choice_length)) {
                to += (size_t)snprintf(text + to, size - to, "--family");
                at += 6;
                copy_choice(OPTION_FAMILY, 1, &at, text, size, &to);
            } else if (!whole || chooser < 0 || !copy_choice(chooser, 0, &at, text, size, &to))
                text[to++] = *at++;
            continue;
        }
        to += (size_t)snprintf(text + to, size - to, "%s",
                               id == OPTION_RANDOM && !given(id) ? "the number of cities"
                                                                 : option_name(id));
        at += length;
        at = behind_option(id, at, text, size, &to);
        if (options[id].kind == CHOICE) {
            chooser = id;
            copy_choice(id, 1, &at, text, size, &to);
        }
        if (*at == '[') { /* counted from 0; words for the position may follow instead */
            int index = atoi(at + 1);
            at += strcspn(at, "]");
            at += *at == ']';
            if (id == OPTION_POINT_ON || id == OPTION_POINT_OFF)
                to += (size_t)snprintf(text + to, size - to, ": row %d", index);
            else if (strncmp(at, " (row", 5))
                to += (size_t)snprintf(text + to, size - to, ", number %d,", index + 1);
            if (*at == '.') at += 1 + strcspn(at + 1, " ");
        }
    }
    text[to] = 0;
    if (message_hook) message_hook(text, size);
    return text;
}

#endif
