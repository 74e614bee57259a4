/* Makes help, version, man page and bash completion from the one list of options. */
#ifndef COMBGPU_EXAMPLES_HELP_H
#define COMBGPU_EXAMPLES_HELP_H

#include "combgpu_output.h"

/* The forms of each command, one per line. */
static const char *const command_usage[COMMAND_COUNT] = {
    "--order 4 --list --frenicle       the 880 squares of order 4\n"
    "--givens \"? ? ? ? 5 ? 2 ? ?\"      complete a square\n"
    "--construct --order 10 --svg -    make one and draw it\n"
    "--check FILE                      classify a file's squares\n",
    "--n 10                            count all, by symmetry\n"
    "--n 32 --class rot4 --seed 1 --limit 1 --draw     find one\n"
    "--n 8 --svg all.svg               draw all of them\n"
    "--n 15 --parts 64 --folder DIR    a long run on several machines\n"
    "--check FILE                      check solutions\n",
    "--n 4 --list                      all of them, in order\n"
    "--n 30 --unrank R, or --rank \"2 0 1\"\n"
    "--family multiset --repeats \"2 1\" --list\n"
    "--n 20 --random 3 --seed 7        three random ones\n",
    "                                  nug12 of QAPLIB, optimum 578\n"
    "FILE                              n, then two n x n matrices\n"
    "--random 10 --histogram 20\n",
    "FILE                    TSPLIB, points or distances: --help all\n"
    "--europe --svg tour.svg           draw a tour of forty cities\n"
    "--random 12 --batch 100000        many instances side by side\n",
    "no3 --n N --folder DIR            no three in line\n"
    "magic --order N --folder DIR      magic squares\n"
    "perm --n N --folder DIR           derangements\n"
    "tsp FILE --folder DIR             brute force; or --random N\n",
    "                                  list the values of --device\n",
    "                                  all cases, best of three\n"
    "--only \"no3 --n 12\" --backend cpu just this case\n",
    "                                  every device\n"
    "--backend cuda --device 0         one of them\n",
    "                                  all four searches\n"
    "FOLDER                            with the two TSPLIB files\n"};

/* The rule of combgpu_points.h, for users. */
static const char files_text[] =
    "FILE, recognised by its content (the summary says as what):\n"
    "  TSPLIB; published files with time windows; GPX; KML\n"
    "  JSON: GeoJSON, Overpass, lists of objects with lat and lon (or x and y);\n"
    "    tables of OSRM, Valhalla, GraphHopper, Google; rows of numbers\n"
    "  distances: n lines of n numbers, or .npy; the first line, the first column\n"
    "    or both may hold names; an empty cell, inf, nan, none, null, x or - means\n"
    "    no connection\n"
    "  points: CSV whose header names latitude and longitude, or x (east) and y\n"
    "    (north), in any order; or lines \"latitude longitude name\", optionally\n"
    "    numbered 1, 2, 3 ...; or .npy, n x 2\n"
    "Tabs, semicolons, commas, | or blanks separate cells; where commas do not,\n"
    "numbers may have decimal commas. Lines with # are comments. Latitudes and\n"
    "longitudes, and numbers without a header, are on the Earth, x and y in a\n"
    "plane, unless --metric says otherwise. Ambiguous and truncated files are\n"
    "refused.\n";

static const char exit_text[] =
    "Ctrl-C stops and prints what is known so far; a second one ends at once.\n"
    "Exit status: 0 done; 1 failed, or a check found errors; 2 wrong arguments, file\n"
    "or device; 3 stopped before the end.\n";

/* One option, its help from column 24 on. */
static void help_option(const option *o)
{
    char name[64];
    const char *text = o->help;
    int length =
        snprintf(name, sizeof name, "  %s%s%s", o->name, *o->argument ? " " : "", o->argument);
    if (length > 22) {
        printf("%s\n", name);
        name[0] = 0;
    }
    do {
        size_t size = strcspn(text, "\n");
        printf("%-22s %.*s\n", name, (int)size, text);
        name[0] = 0;
        text += size + (text[size] == '\n');
    } while (*text);
}

static void help_group(int command, int level, const char *title)
{
    int id, first = 1;
    for (id = 0; id < OPTIONS_END; id++) {
        if (!(options[id].commands >> command & 1) || (int)options[id].level != level) continue;
        if (first) printf("\n%s:\n", title);
        first = 0;
        help_option(&options[id]);
    }
}

/* `combgpu no3 --help` and `--help all`. */
static void help_command(int command, int all)
{
    const char *text = command_usage[command];
    printf("%s %s: %s\n\n", cmd.program, command_names[command], command_texts[command]);
    while (*text) {
        int size = (int)strcspn(text, "\n");
        printf("  %s %s %.*s\n", cmd.program, command_names[command], size, text);
        text += size + 1;
    }
    if (all && command == COMMAND_TSP) printf("\n%s", files_text);
    help_group(command, MAIN, "Options");
    if (!all) {
        printf("  --help all           all others: backend, checkpoint, progress, json ...\n");
        return;
    }
    help_group(command, MORE, "More options");
    help_group(command, COMMON, "Options of all searches");
    printf("\n%s", exit_text);
}

/* `combgpu --help` */
static void help_all_commands(void)
{
    int i;
    printf("combgpu %s: four exact combinatorial searches on CPUs and GPUs\n\n"
           "  %s COMMAND [OPTION...]\n\nCommands:\n",
           combgpu_version(), cmd.program);
    for (i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", command_names[i], command_texts[i]);
    printf("\n  %s COMMAND --help       the command's options; --help all: every one\n"
           "  %s --version            the version, and what is compiled in\n"
           "  %s --man                the man page (roff)\n"
           "  %s --completion bash    completion for bash: eval \"$(... )\"\n\n%s",
           cmd.program, cmd.program, cmd.program, cmd.program, exit_text);
}

static void print_version(void)
{
    printf("combgpu %s (cpu%s%s%s)\n", combgpu_version(),
#ifdef COMBGPU_CUDA
           " cuda",
#else
           "",
#endif
#ifdef COMBGPU_OPENCL
           " opencl",
#else
           "",
#endif
#ifdef COMBGPU_MPI
           " mpi"
#else
           ""
#endif
    );
}

/* ---- the man page */

/* Writes text for roff, escaping backslashes and minus signs. */
static void man_text(const char *text, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n'))
            printf("\\&%c", text[i]);
        else
            putchar(text[i]);
}

static void man_option(const option *o)
{
    printf(".TP\n\\fB");
    man_text(o->name, strlen(o->name));
    printf("\\fR");
    if (*o->argument) {
        printf(" \\fI");
        man_text(o->argument, strlen(o->argument));
        printf("\\fR");
    }
    putchar('\n');
    man_text(o->help, strlen(o->help));
    putchar('\n');
}

static void man_page(void)
{
    int command, id;
    printf(".TH COMBGPU 1 \"\" \"combgpu %s\" \"User Commands\"\n.SH NAME\ncombgpu \\- exact "
           "combinatorial searches on CPUs and GPUs\n.SH SYNOPSIS\n.B combgpu\n\\fICOMMAND\\fR "
           "[\\fIOPTION\\fR...]\n.SH DESCRIPTION\nMagic squares, no\\-three\\-in\\-line, "
           "permutations and the travelling salesman, solved exactly on a CPU, with CUDA or with "
           "OpenCL. An option means the same in every command. \\fB\\-\\fR is standard input or "
           "output.\n",
           combgpu_version());
    for (command = 0; command < COMMAND_COUNT; command++) {
        const char *text = command_usage[command];
        printf(".SH \"");
        for (id = 0; command_names[command][id]; id++) {
            char c = command_names[command][id];
            putchar(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        printf("\"\n");
        man_text(command_texts[command], strlen(command_texts[command]));
        printf("\n.PP\n.nf\n");
        while (*text) {
            size_t size = strcspn(text, "\n");
            printf("combgpu %s ", command_names[command]);
            man_text(text, size);
            putchar('\n');
            text += size + 1;
        }
        if (command == COMMAND_TSP) {
            putchar('\n');
            man_text(files_text, strlen(files_text));
        }
        printf(".fi\n");
        for (id = 0; id < OPTIONS_END; id++)
            if (options[id].level != COMMON && options[id].commands >> command & 1)
                man_option(&options[id]);
    }
    printf(".SH \"OPTIONS OF ALL COMMANDS\"\n");
    for (id = 0; id < OPTIONS_END; id++)
        if (options[id].level == COMMON) man_option(&options[id]);
    printf(".SH \"LISTS\"\nA list is text, CSV with a header, JSON lines, a NumPy array (.npy) or "
           "bytes; \\fB\\-\\-check\\fR reads them all.\n.SH \"EXIT STATUS\"\n");
    man_text(exit_text, strlen(exit_text));
}

/* ---- completion for bash */

static void completion_bash(void)
{
    int command, id;
    printf("# bash completion for combgpu, made by: combgpu --completion bash\n_combgpu()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= "
           "words=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    for (command = 0; command < COMMAND_COUNT; command++)
        printf("%s ", command_names[command]);
    printf("--help --version --man --completion'\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
           "    case $before in\n");
    for (id = 0; id < OPTIONS_END; id++)
        if (options[id].kind == CHOICE)
            printf("    %s) COMPREPLY=($(IFS=,; compgen -W '%s' -- \"$word\")); return ;;\n",
                   options[id].name, options[id].may_be);
    printf("    ");
    for (id = 0; id < OPTIONS_END; id++)
        if (options[id].kind == INFILE || options[id].kind == OUTFILE || id == OPTION_CHECKPOINT ||
            id == OPTION_FOLDER)
            printf("%s | ", options[id].name);
    printf("-) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n    --help) words=all ;;\n    ");
    for (id = 0, command = 0; id < OPTIONS_END; id++)
        if (options[id].kind == NUMBER || options[id].kind == DECIMAL ||
            (options[id].kind == TEXT && id != OPTION_CHECKPOINT && id != OPTION_FOLDER))
            printf("%s%s", command++ ? " | " : "", options[id].name);
    printf(") return ;;\n    esac\n    case ${COMP_WORDS[1]} in\n");
    for (command = 0; command < COMMAND_COUNT; command++) {
        printf("    %s) options='", command_names[command]);
        for (id = 0; id < OPTIONS_END; id++)
            if (options[id].commands >> command & 1) printf("%s ", options[id].name);
        printf("' ;;\n");
    }
    printf(
        "    esac\n    case $word in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n"
        "    esac\n}\ncomplete -o filenames -F _combgpu combgpu\n");
}

#endif
