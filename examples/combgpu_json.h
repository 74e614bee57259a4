/* Walks through arrays and objects of JSON (RFC 8259). Anything else ends the program with a message. */
#ifndef COMBGPU_EXAMPLES_JSON_H
#define COMBGPU_EXAMPLES_JSON_H

#include "combgpu_names.h"

static char json_source[280];                 /* begins the messages: an option and a file */
static const char json_ends[] = ",]} \t\r\n"; /* of a number */

/* A walk through an array or an object. */
typedef struct json_walk {
    const char *at;    /* at first its bracket; at the end behind it */
    const char *key;   /* of a member: its opening quote */
    const char *value; /* passed over by the next step, if `at` still is there */
    char close;        /* the bracket that ends it; 0 before the first value */
    int depth;
} json_walk;

static const char *json_past(const char *at, int depth);

/* The length of a text in messages: up to one of `ends`. */
static int json_shown(const char *at, const char *ends)
{
    size_t length = strcspn(at, ends);
    return length > 40 ? 40 : (int)length;
}

static void no_json(const char *at) COMMAND_NORETURN;

static void no_json(const char *at)
{
    if (!*at) usage("%s ends in the middle", json_source);
    usage("%s: \"%.*s\" is not JSON", json_source, json_shown(at, "\r\n"), at);
}

static const char *json_past_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *json_past_string(const char *at)
{
    for (at++; (unsigned char)*at >= ' ' && *at != '"'; at++)
        at += *at == '\\' && at[1];
    if (*at != '"') usage("%s: a string does not end", json_source);
    return at + 1;
}

static int json_is_number(const char *at)
{
    return *at == '-' || (*at >= '0' && *at <= '9');
}

static const char *json_past_number(const char *at)
{
    static const char digits[] = "0123456789";
    const char *begin = at;
    size_t whole, fraction = 1, power = 1;
    at += *at == '-';
    whole = strspn(at, digits);
    if (*at == '0' && whole > 1) whole = 0;
    at += whole;
    if (*at == '.') {
        fraction = strspn(at + 1, digits);
        at += 1 + fraction;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        power = strspn(at, digits);
        at += power;
    }
    if (!whole || !fraction || !power || !strchr(json_ends, *at))
        usage("%s: \"%.*s\" is not a number", json_source, json_shown(begin, json_ends), begin);
    return at;
}

static json_walk json_begin(const char *at, int depth)
{
    json_walk w;
    memset(&w, 0, sizeof w);
    if (depth == 100) usage("%s: nested too deep", json_source);
    w.at = at;
    w.depth = depth;
    return w;
}

/* Goes to the next value; returns 0 at the end. A caller that has walked through the value sets w->at
   behind it. */
static int json_next(json_walk *w)
{
    const int first = !w->close;
    const char *at = w->at;
    if (first)
        w->close = *at++ == '{' ? '}' : ']';
    else if (at == w->value)
        at = json_past(at, w->depth + 1);
    at = json_past_blanks(at);
    if (*at == w->close) {
        w->at = at + 1;
        return 0;
    }
    if (!first && *at != ',') no_json(at);
    at = json_past_blanks(at + !first);
    w->key = at;
    if (w->close == '}') {
        if (*at != '"') no_json(at);
        at = json_past_blanks(json_past_string(at));
        if (*at != ':') no_json(at);
        at = json_past_blanks(at + 1);
    }
    w->at = w->value = at;
    return 1;
}

/* Returns the text behind the value at `at`. */
static const char *json_past(const char *at, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t length, i;
    if (*at == '{' || *at == '[') {
        json_walk w = json_begin(at, depth);
        while (json_next(&w)) {
        }
        return w.at;
    }
    if (*at == '"') return json_past_string(at);
    if (json_is_number(at)) return json_past_number(at);
    length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (length == strlen(words[i]) && !strncmp(at, words[i], length)) return at + length;
    no_json(at);
}

/* Nonzero if the string at `at` is this word. */
static int json_is(const char *at, const char *word)
{
    name_text text;
    if (*at != '"') return 0;
    name_from_json(&text, at + 1, json_past_string(at) - 1);
    return !strcmp(text.text, word);
}

#endif
