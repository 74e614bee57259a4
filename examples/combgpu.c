/* One command for all four searches.

       cc -O3 examples/combgpu.c -o combgpu
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/combgpu.c -o combgpu
       cc -O3 -DCOMBGPU_OPENCL examples/combgpu.c -o combgpu -lOpenCL

       ./combgpu --help                              the commands
       ./combgpu magic --order 4 --list --frenicle   the 880 squares of order 4
       ./combgpu no3 --n 10                          all solutions, by symmetry
       ./combgpu perm --n 30 --unrank 1000000        one permutation
       ./combgpu tsp FILE --svg tour.svg             a shortest tour, proven, drawn

   combgpu_options.h lists the options; each command has a file of its own. */
#define COMBGPU_IMPLEMENTATION
#include "../combgpu.h"

#include "combgpu_bench.h"
#include "combgpu_cluster.h"
#include "combgpu_demo.h"
#include "combgpu_devices.h"
#include "combgpu_family.h"
#include "combgpu_help.h"
#include "combgpu_magic.h"
#include "combgpu_no3.h"
#include "combgpu_qap.h"
#include "combgpu_sum.h"

/* Prints what --help, --version, --man or --completion asks for. */
static void without_command(const char *word)
{
    if (!strcmp(word, "--version"))
        print_version();
    else if (!strcmp(word, "--man"))
        man_page();
    else if (!strcmp(word, "--completion")) {
        if (cmd.argc != 3 || strcmp(cmd.argv[2], "bash"))
            usage("--completion needs the name of a shell: bash");
        completion_bash();
    } else if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        int command = 0;
        while (command < COMMAND_COUNT &&
               (cmd.argc < 3 || strcmp(cmd.argv[2], command_names[command])))
            command++;
        if (command < COMMAND_COUNT)
            help_command(command, cmd.argc > 3 && !strcmp(cmd.argv[3], "all"));
        else
            help_all_commands();
    } else {
        const char *meant = did_you_mean(word, "", command_names, COMMAND_COUNT);
        usage("unknown command %s%s", *word ? word : "\"\"",
              *meant ? meant
                     : "; it may be magic, no3, perm, qap, tsp, cluster, devices, bench, self-test "
                       "or demo; see --help");
    }
    exit(flush_output() ? EXIT_FAILED : EXIT_OK);
}

int main(int argc, char **argv)
{
    static int (*const commands[COMMAND_COUNT])(void) = {
        command_magic,   command_no3,     command_perm,  command_qap,     command_tsp,
        command_cluster, command_devices, command_bench, command_devices, command_demo};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL, *name;
    static char program[80];
    int i;
    terminal_begin(); /* first: Ctrl-C then stops the run instead of killing it silently */
    if (argc > 0 && !slash) slash = strrchr(argv[0], '\\'); /* Windows */
    cmd.argc = argc;
    cmd.argv = argv;
    cmd.program = slash ? slash + 1 : argc > 0 ? argv[0] : "combgpu";
    for (i = 1; i < argc; i++) /* early: every error can then be a JSON object */
        if (!strcmp(argv[i], "--json")) cmd.value[OPTION_JSON].times = 1;
    if (argc < 2) {
        help_all_commands();
        return flush_output() ? EXIT_FAILED : EXIT_USAGE;
    }
    for (i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(argv[1], command_names[i])) break;
    if (i == COMMAND_COUNT) without_command(argv[1]);
    cmd.command = i;
    snprintf(program, sizeof program, "%.50s %s", cmd.program, command_names[i]);
    name = cmd.program;
    cmd.program = program;
#ifdef COMBGPU_MPI
    if (i == COMMAND_CLUSTER) cluster_begin();
#endif
    parse_options(i == COMMAND_CLUSTER && argc > 2 && argv[2][0] != '-' ? 3 : 2);
    if (given(OPTION_HELP)) {
        cmd.program = name;
        help_command(i, text_of(OPTION_HELP) != NULL);
        return flush_output() ? EXIT_FAILED : EXIT_OK;
    }
    read_run_options();
    i = commands[i]();
    if (i == EXIT_OK && flush_output()) i = EXIT_FAILED;
    return output_failed && (i == EXIT_OK || i == EXIT_STOPPED) ? EXIT_FAILED : i;
}
