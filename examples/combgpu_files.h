/* Checks the files of the command line: all can be written, none twice, and none is both read and written. */
#ifndef COMBGPU_EXAMPLES_FILES_H
#define COMBGPU_EXAMPLES_FILES_H

#include "combgpu_output.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

/* Nonzero if the file exists, or may exist, and is not a pipe or device, which many may write. */
static int is_plain_file(const char *path)
{
#ifdef _WIN32
    return file_exists(path);
#else
    struct stat file;
    return stat(path, &file) ? !is_missing() : S_ISREG(file.st_mode);
#endif
}

/* Nonzero for a named pipe: opening it would look like a writer. */
static int is_pipe(const char *path)
{
#ifdef _WIN32
    (void)path;
    return 0;
#else
    struct stat file;
    return !stat(path, &file) && S_ISFIFO(file.st_mode);
#endif
}

/* Cuts a file off after `bytes` bytes; nonzero if it cannot be. */
static int file_cut(FILE *file, uint64_t bytes)
{
#ifdef _WIN32
    return _chsize_s(_fileno(file), (__int64)bytes) != 0;
#else
    return ftruncate(fileno(file), (off_t)bytes) != 0;
#endif
}

/* Nonzero if two names mean one file, or will. */
static int same_file(const char *a, const char *b)
{
#ifndef _WIN32
    struct stat files[2];
    if (!stat(a, &files[0]) && !stat(b, &files[1]))
        return S_ISREG(files[0].st_mode) && files[0].st_dev == files[1].st_dev &&
               files[0].st_ino == files[1].st_ino;
#endif
    while (!strncmp(a, "./", 2))
        a += 2;
    while (!strncmp(b, "./", 2))
        b += 2;
    return !strcmp(a, b) && (!file_exists(a) || is_plain_file(a));
}

/* Replaces a link's name by that of its target. */
static void follow_links(char *path, size_t size)
{
#ifdef _WIN32
    (void)path;
    (void)size;
#else
    char target[4096], *at;
    long length;
    int most = 16; /* links may form a circle */
    while (most-- && (length = (long)readlink(path, target, sizeof target - 1)) > 0) {
        target[length] = 0;
        at = *target == '/' ? NULL : strrchr(path, '/');
        at = at ? at + 1 : path;
        snprintf(at, size - (size_t)(at - path), "%s", target);
    }
#endif
}

/* Nonzero if --resume finds a checkpoint, or the previous one beside it. */
static int checkpoint_exists(void)
{
    const char *path = text_of(OPTION_CHECKPOINT);
    char before[4200];
    if (!path || file_exists(path)) return path != NULL;
    snprintf(before, sizeof before, "%.4000s", path);
    follow_links(before, sizeof before - 4);
    strcat(before, ".bak");
    return file_exists(before);
}

/* Nonzero if the option is given with the name of a file to be written. */
static int names_output(int id)
{
    return options[id].kind == OUTFILE && text_of(id) && strcmp(text_of(id), "-");
}

/* Ends the program if an option would write a file that `what` names. --from may name the file of --tour,
   to improve a tour. */
static void not_written(int id, const char *what, const char *path)
{
    int out;
    for (out = 0; out < OPTIONS_END; out++)
        if (out != id && names_output(out) && same_file(text_of(out), path) &&
            !(id == OPTION_FROM && out == OPTION_TOUR))
            usage("%s and %s are both %.200s; it would be overwritten", option_name(out), what,
                  path);
}

/* Ends the program if an option would write over a file of the checkpoint, which has three more names. */
static void checkpoint_not_written(void)
{
    static const char *const endings[] = {"", ".bak", ".lock", ".new"};
    char path[4200];
    int i;
    for (i = 0; text_of(OPTION_CHECKPOINT) && i < 4; i++) {
        snprintf(path, sizeof path, "%.4000s%s", text_of(OPTION_CHECKPOINT), endings[i]);
        not_written(OPTION_CHECKPOINT, i ? "a file of --checkpoint" : "--checkpoint", path);
    }
}

/* Ends the program if two options read standard input, or a file would overwrite another. */
static void check_names(void)
{
    static const int texts[] = {OPTION_GIVENS, OPTION_NUMBERS, OPTION_VALUES,
                                OPTION_ITEMS,  OPTION_BEFORE,  OPTION_EDGE};
    const char *text, *from_input = NULL;
    int id, i, at;
    if (cmd.argument && !strcmp(cmd.argument, "-")) from_input = "the argument -";
    if (cmd.argument) not_written(-1, "the argument", cmd.argument);
    for (i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
        for (at = 0; given(texts[i]) && (text = option_each(texts[i], &at)) != NULL;)
            if (*text == '@') not_written(texts[i], option_name(texts[i]), text + 1);
    for (i = 0; i < cmd.merge_count; i++)
        not_written(OPTION_MERGE, "--merge", cmd.merge[i]);
    checkpoint_not_written();
    for (id = 0; id < OPTIONS_END; id++) {
        if (names_output(id)) not_written(id, option_name(id), text_of(id));
        if (options[id].kind != INFILE || !text_of(id) || id == OPTION_MERGE) continue;
        not_written(id, option_name(id), text_of(id));
        if (strcmp(text_of(id), "-")) continue;
        if (from_input) usage("%s and %s - both read standard input", from_input, option_name(id));
        from_input = option_name(id);
    }
}

/* Opens output files before the search, so that an error shows at once. A new file is removed again: what
   is refused later leaves none. */
static void check_output_files(void)
{
    int id, on_stdout = output_on_stdout();
    if (on_stdout >= 0 && json_wanted())
        usage("%s is -, but --json uses standard output: give a file name", option_name(on_stdout));
    if (on_stdout >= 0 && list_wanted() && !given(OPTION_OUTPUT))
        usage("%s is -, but the list uses standard output: give a file name",
              option_name(on_stdout));
    check_names();
    for (id = 0; id < OPTIONS_END; id++) {
        FILE *file;
        int there;
        if (!names_output(id) || is_pipe(text_of(id))) continue;
        there = file_exists(text_of(id));
        file = fopen(text_of(id), "ab");
        if (!file)
            usage("%s %.200s cannot be written: %s", option_name(id), text_of(id), strerror(errno));
        (void)fclose(file);
        if (!there) (void)remove(text_of(id));
    }
}

#endif
