/* Decodes names of waypoints: escapes of JSON and XML, and bytes that are not UTF-8. */
#ifndef COMBGPU_EXAMPLES_NAMES_H
#define COMBGPU_EXAMPLES_NAMES_H

#include "combgpu_output.h"

/* A text of at most 255 bytes that is being written. */
typedef struct name_text {
    char text[256];
    size_t length;
} name_text;

/* Adds a character as UTF-8; a control character as a blank. */
static void name_add(name_text *name, unsigned code)
{
    char *to = name->text + name->length;
    if (name->length + 5 > sizeof name->text) return;
    if (code < 0x20 || code == 0x7f || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = ' ';
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80) *to++ = (char)(0x80 | (code & 0x3f));
    name->length = (size_t)(to - name->text);
    *to = 0;
}

/* Adds the character at `at`: UTF-8, or else a byte of Latin-1. Returns the next one. */
static const char *name_add_from(name_text *name, const char *at)
{
    size_t length = utf8_length(at), i;
    if (length < 2) {
        name_add(name, (unsigned char)*at);
        return at + 1;
    }
    if (name->length + 5 > sizeof name->text) return at + length;
    for (i = 0; i < length; i++)
        name->text[name->length++] = at[i];
    name->text[name->length] = 0;
    return at + length;
}

/* Returns the number of `digits` hexadecimal digits, or -1. */
static long hex_number(const char *at, int digits)
{
    long value = 0;
    for (; digits--; at++)
        if (*at >= '0' && *at <= '9')
            value = value * 16 + (*at - '0');
        else if ((*at | 32) >= 'a' && (*at | 32) <= 'f')
            value = value * 16 + ((*at | 32) - 'a' + 10);
        else
            return -1;
    return value;
}

/* Reads a JSON string, without its quotes. */
static void name_from_json(name_text *name, const char *at, const char *end)
{
    memset(name, 0, sizeof *name);
    while (at < end) {
        long code = *at == '\\' && at[1] == 'u' && end - at >= 6 ? hex_number(at + 2, 4) : -1, low;
        if (code >= 0) {
            at += 6;
            low = code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u'
                      ? hex_number(at + 2, 4)
                      : -1;
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                at += 6;
            }
            name_add(name, (unsigned)code);
        } else if (*at == '\\' && end - at >= 2) {
            name_add(name, strchr("bfnrt", at[1]) ? ' ' : (unsigned char)at[1]);
            at += 2;
        } else
            at = name_add_from(name, at);
    }
}

/* Adds the character of an XML reference such as &amp; or &#233;. Returns its end; `at` if it is not
   one. */
static const char *name_add_reference(name_text *name, const char *at, const char *end)
{
    static const char *const words[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    size_t i;
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strncmp(at, words[i], strlen(words[i]))) {
            name_add(name, (unsigned char)"&<>\"'"[i]);
            return at + strlen(words[i]);
        }
    if (at[1] == '#' && end - at > 3) {
        int hex = at[2] == 'x';
        const char *digits = at + 2 + hex;
        size_t length = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
        if (length && length < 8 && digits[length] == ';') {
            name_add(name, (unsigned)strtoul(digits, NULL, hex ? 16 : 10));
            return digits + length + 1;
        }
    }
    return at;
}

/* Reads the text of an XML element: references and CDATA are replaced, comments left out. */
static void name_from_xml(name_text *name, const char *at, const char *end)
{
    int raw = 0; /* in CDATA */
    memset(name, 0, sizeof *name);
    while (at < end) {
        const char *behind_it = at;
        if (!raw && !strncmp(at, "<![CDATA[", 9)) {
            raw = 1;
            at += 9;
        } else if (raw && !strncmp(at, "]]>", 3)) {
            raw = 0;
            at += 3;
        } else if (!raw && !strncmp(at, "<!--", 4)) {
            const char *close = strstr(at, "-->");
            at = close ? close + 3 : end;
        } else {
            if (!raw && *at == '&') behind_it = name_add_reference(name, at, end);
            at = behind_it > at ? behind_it : name_add_from(name, at);
        }
    }
}

#endif
