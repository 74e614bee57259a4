/* The list of all options, and the parser for it. */
#ifndef COMBGPU_EXAMPLES_OPTIONS_H
#define COMBGPU_EXAMPLES_OPTIONS_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#define COMMAND_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define COMMAND_NORETURN __attribute__((noreturn))
#else
#define COMMAND_PRINTF(format_at, args_at)
#define COMMAND_NORETURN
#endif

/* X(ID, name, purpose). Each command has a bit. */
#define COMMANDS(X)                                                                                \
    X(MAGIC, "magic", "magic squares: count, list, complete, check, make, estimate")               \
    X(NO3, "no3", "2n points on an n x n grid, no three in line")                                  \
    X(PERM, "perm", "permutations, arrangements, combinations: all, ranges, ranks")                \
    X(QAP, "qap", "quadratic assignment by branch and bound")                                      \
    X(TSP, "tsp", "a proven shortest tour through cities or waypoints")                            \
    X(CLUSTER, "cluster", "one search on many machines (needs MPI)")                               \
    X(DEVICES, "devices", "list the devices of this machine")                                      \
    X(BENCH, "bench", "time every search")                                                         \
    X(SELF_TEST, "self-test", "test every device with known answers")                              \
    X(DEMO, "demo", "run all four searches, compare with known answers")

#define X(id, name, what) COMMAND_##id,
enum command_number { COMMANDS(X) COMMAND_COUNT };
#undef X
#define X(id, name, what) ON_##id = 1 << COMMAND_##id,
enum command_bit { COMMANDS(X) ON_END = 0 };
#undef X

#define ON_SEARCH (ON_MAGIC | ON_NO3 | ON_PERM | ON_QAP | ON_TSP)
#define ON_RUN (ON_SEARCH | ON_CLUSTER | ON_BENCH | ON_DEMO)
#define ON_LIST (ON_MAGIC | ON_NO3 | ON_PERM | ON_TSP)
#define ON_ALL ((1 << COMMAND_COUNT) - 1)

/* An option's value. Its text in the list states what the value may be:
   NUMBER "least:most", DECIMAL "least:most:in words", CHOICE "one,other", TEXT and FILE in words. */
enum option_kind { FLAG, NUMBER, DECIMAL, CHOICE, TEXT, INFILE, OUTFILE };
/* Where help shows the option: MAIN on the command's screen, MORE and COMMON with --help all. */
enum option_level { MAIN, MORE, COMMON };

/* X(ID, name, argument, kind, may be, commands, level, help) */
#define OPTIONS(X)                                                                                 \
    X(ORDER, "--order", "N", NUMBER, "1:10000", ON_MAGIC | ON_CLUSTER, MAIN,                       \
      "order, 1 to 10; with --construct up to 10000")                                              \
    X(KIND, "--kind", "NAME", CHOICE,                                                              \
      "normal,semimagic,pandiagonal,associative,ultramagic,bimagic,most-perfect,franklin",         \
      ON_MAGIC | ON_CLUSTER, MAIN,                                                                 \
      "semimagic pandiagonal associative ultramagic bimagic\n"                                     \
      "most-perfect franklin")                                                                     \
    X(GIVENS, "--givens", "TEXT", TEXT,                                                            \
      "numbers row by row with 0, ?, . or _ for free cells, or @FILE", ON_MAGIC, MAIN,             \
      "complete it: numbers by row, ? or 0 free; or @FILE")                                        \
    X(NUMBERS, "--numbers", "TEXT", TEXT, "n*n whole numbers, or @FILE", ON_MAGIC, MORE,           \
      "use these numbers, not 1 to n*n (order 3 to 5);\n"                                          \
      "negative ones too; or @FILE; --check: expect them")                                         \
    X(SUM, "--sum", "S", TEXT, "a whole number; perm: or two, as 10:20", ON_MAGIC | ON_PERM, MORE, \
      "magic: the line sum that --numbers must have; perm:\n"                                      \
      "k of n values with sum S, or from A to B as A:B")                                           \
    X(CONSTRUCT, "--construct", "", FLAG, "", ON_MAGIC, MAIN,                                      \
      "make one square of this order and kind")                                                    \
    X(ESTIMATE, "--estimate", "", FLAG, "", ON_MAGIC, MAIN,                                        \
      "estimate their number by sampling (orders: --help all)")                                    \
    X(SAMPLES, "--samples", "K", NUMBER, "1:1099511627776", ON_SEARCH, MORE,                       \
      "number of samples. --estimate (default: a million):\n"                                      \
      "orders 4 to 11, or by --kind pandiagonal 5, 7;\n"                                           \
      "ultramagic 5, 7, 8; associative 4, 5, 7, 8, 9.\n"                                           \
      "--forecast: 2 to 100000 (default: 64)")                                                     \
    X(ERROR, "--error", "E", DECIMAL, "1e-9:0.999:a fraction like 0.001", ON_MAGIC, MORE,          \
      "--estimate: stop at the relative standard error E")                                         \
    X(DIAGONALS, "--diagonals", "F[:C]", TEXT,                                                     \
      "a first configuration and an optional count, like 1000:20", ON_MAGIC, MORE,                 \
      "count order 6 over configurations F to F+C-1 of\n"                                          \
      "861,985,427,400")                                                                           \
    X(FRENICLE, "--frenicle", "", FLAG, "", ON_MAGIC, MORE,                                        \
      "list one of every eight rotations and reflections")                                         \
    X(ONE_LINE, "--one-line", "", FLAG, "", ON_MAGIC, MORE, "list one square per line")            \
    X(CHECKSUM, "--checksum", "", FLAG, "", ON_MAGIC, MORE,                                        \
      "count order 5 and add a checksum of all squares")                                           \
    X(FORM, "--form", "NAME", CHOICE, "frenicle,canonical", ON_MAGIC, MORE,                        \
      "--check: print the squares in Frenicle or canonical\n"                                      \
      "form (canonical: up to M-transformations, too)")                                            \
    X(N, "--n", "N", NUMBER, "1:128", ON_NO3 | ON_PERM | ON_CLUSTER, MAIN,                         \
      "grid side (2 to 128); elements (1 to 34, families to 64)")                                  \
    X(CLASS, "--class", "NAME", CHOICE, "all,dia1,ort1,rot2,near_rot4,dia2,rot4,ort2,full",        \
      ON_NO3 | ON_CLUSTER, MAIN, "dia1 ort1 rot2 near_rot4 dia2 rot4 ort2 full")                   \
    X(POINT_ON, "--on", "X,Y", TEXT, "X,Y: a column and a row from 0 to 127", ON_NO3, MAIN,        \
      "a point in column X of row Y, from 0; may repeat")                                          \
    X(POINT_OFF, "--off", "X,Y", TEXT, "X,Y: a column and a row from 0 to 127", ON_NO3, MAIN,      \
      "no point there; may repeat")                                                                \
    X(FIXED, "--fixed", "FILE", INFILE, "a drawing of fixed cells, or - for standard input",       \
      ON_NO3, MORE, "both from a drawing: o # * 1 a point, - 0 none, . either")                    \
    X(EVERY, "--every-orientation", "", FLAG, "", ON_NO3, MORE,                                    \
      "list all rotations and reflections of each solution\n"                                      \
      "(--resume: as in the first run)")                                                           \
    X(DRAW, "--draw", "", FLAG, "", ON_NO3, MAIN, "list them as text drawings")                    \
    X(SORT, "--sort", "", FLAG, "", ON_NO3, MORE,                                                  \
      "list boards sorted, in canonical form, also with\n"                                         \
      "--check: equal sets of boards give equal files")                                            \
    X(BFILE, "--bfile", "WHICH", CHOICE, "all,up-to-symmetry", ON_NO3, MORE,                       \
      "write an OEIS b-file: \"n count\" for each n up to N\n"                                     \
      "(N to 32; with --class: all boards that have it, or\n"                                      \
      "up-to-symmetry those of just this class)")                                                  \
    X(CNF, "--cnf", "FILE", OUTFILE, "a file name, or - for standard output", ON_NO3, MORE,        \
      "write the instance for a SAT solver (DIMACS); no search")                                   \
    X(FAMILY, "--family", "NAME", CHOICE,                                                          \
      "all,partial,multiset,derangement,combination,gray,cycle,circular", ON_PERM, MAIN,           \
      "all, partial, multiset, derangement, combination,\n"                                        \
      "gray, cycle or circular")                                                                   \
    X(K, "--k", "K", NUMBER, "0:64", ON_PERM, MORE, "partial, combination: how many of the n")     \
    X(PRODUCT, "--product", "P", TEXT, "a whole number, or two, as 10:20", ON_PERM, MORE,          \
      "k of n values with product P, or from A to B as A:B")                                       \
    X(VALUES, "--values", "\"V\"", TEXT, "numbers like \"1 2 5 10\"", ON_PERM, MORE,               \
      "--sum, --product: the n values (default: 1 to n), or\n"                                     \
      "@FILE")                                                                                     \
    X(REPEATS, "--repeats", "\"R\"", TEXT, "numbers like \"2 1 2\"", ON_PERM, MAIN,                \
      "multiset: how often each number occurs")                                                    \
    X(ITEMS, "--items", "\"A B\"", TEXT, "words", ON_PERM, MAIN,                                   \
      "words instead of 0 .. n-1 (repeated ones: a multiset)")                                     \
    X(UNRANK, "--unrank", "R", TEXT, "a rank: a whole number from 0, below 2^128", ON_PERM, MAIN,  \
      "print the permutation of rank R, from 0")                                                   \
    X(RANK, "--rank", "\"P\"", TEXT, "a permutation of 0 .. n-1, like \"2 0 1\"", ON_PERM, MAIN,   \
      "print the rank of P")                                                                       \
    X(NEXT, "--next", "\"P\"", TEXT, "a permutation of 0 .. n-1, like \"2 0 1\"", ON_PERM, MORE,   \
      "print the permutation after P")                                                             \
    X(PREVIOUS, "--previous", "\"P\"", TEXT, "a permutation of 0 .. n-1, like \"2 0 1\"", ON_PERM, \
      MORE, "print the permutation before P")                                                      \
    X(INVERSE, "--inverse", "\"P\"", TEXT, "a permutation of 0 .. n-1, like \"2 0 1\"", ON_PERM,   \
      MORE, "print the inverse of P")                                                              \
    X(PARITY, "--parity", "\"P\"", TEXT, "a permutation of 0 .. n-1, like \"2 0 1\"", ON_PERM,     \
      MORE, "print even or odd")                                                                   \
    X(FIXED_POINTS, "--fixed-points", "F", NUMBER, "0:64", ON_PERM, MORE,                          \
      "count permutations with exactly F fixed points")                                            \
    X(TO, "--to", "WHERE", CHOICE, "chunks,host,device", ON_PERM, MORE,                            \
      "chunks: to a function (default); host, device: to that\n"                                   \
      "memory, compared with zeroing it")                                                          \
    X(ITEM_BYTES, "--item-bytes", "B", NUMBER, "1:8", ON_PERM, MORE,                               \
      "--to: bytes of an element, 1, 2, 4 or 8 (default: 1)")                                      \
    X(SIZE, "--size", "K", NUMBER, "2:16", ON_QAP, MAIN, "only the first K rows and columns")      \
    X(ASSIGNMENT, "--assignment", "\"P\"", TEXT, "a permutation of 1 .. n", ON_QAP, MAIN,          \
      "print the cost of this assignment (locations from 1)")                                      \
    X(HISTOGRAM, "--histogram", "B", NUMBER, "1:1000", ON_QAP, MAIN,                               \
      "the distribution of costs, in B bins")                                                      \
    X(RANDOM, "--random", "N", NUMBER, "1:1000000000", ON_PERM | ON_QAP | ON_TSP | ON_CLUSTER,     \
      MAIN, "N random cities, facilities or permutations")                                         \
    X(SEED, "--seed", "S", NUMBER, "0:max", ON_LIST | ON_QAP, MAIN,                                \
      "random seed (no3: random search order)")                                                    \
    X(EUROPE, "--europe", "", FLAG, "", ON_TSP, MAIN, "forty cities of Europe")                    \
    X(METRIC, "--metric", "NAME", CHOICE, "auto,earth,plane,euc_2d,matrix,durations,distances",    \
      ON_TSP, MORE,                                                                                \
      "read FILE as points on the earth (km, sphere), in a\n"                                      \
      "plane or euc_2d (rounded), overriding its own type; or\n"                                   \
      "as a matrix: rows of numbers, or a service's durations\n"                                   \
      "or distances")                                                                              \
    X(NO_CONNECTION, "--no-connection", "W", DECIMAL, "-1e300:1e300:a number", ON_TSP, MORE,       \
      "weight W in a matrix means no connection (like inf)")                                       \
    X(MAXIMIZE, "--maximize", "", FLAG, "", ON_TSP, MORE, "find a longest tour")                   \
    X(METHOD, "--method", "NAME", CHOICE, "auto,brute-force,held-karp,branch-and-bound,heuristic", \
      ON_TSP, MAIN, "auto brute-force held-karp branch-and-bound heuristic")                       \
    X(PATH, "--path", "", FLAG, "", ON_TSP, MAIN, "an open path: no return to the start")          \
    X(START, "--start", "C", TEXT, "a city: its number from 1, or its name", ON_TSP, MAIN,         \
      "where a path begins: a number from 1, or a name")                                           \
    X(END, "--end", "C", TEXT, "a city: its number from 1, or its name", ON_TSP, MAIN,             \
      "where a path ends")                                                                         \
    X(BEFORE, "--before", "A,B", TEXT,                                                             \
      "two cities A,B, by their numbers from 1 or their names, or @FILE with a pair a line",       \
      ON_TSP, MORE, "city A comes before city B; may repeat")                                      \
    X(EDGE, "--edge", "A,B", TEXT,                                                                 \
      "two cities A,B, by their numbers from 1 or their names, or @FILE with a pair a line",       \
      ON_TSP, MORE, "the tour joins cities A and B; may repeat")                                   \
    X(COUNT_OPTIMAL, "--count-optimal", "", FLAG, "", ON_TSP, MORE,                                \
      "count the shortest tours (up to 15 cities)")                                                \
    X(SHORTEST, "--shortest", "K", NUMBER, "1:2000", ON_TSP, MORE,                                 \
      "print the K shortest tours (up to 15 cities)")                                              \
    X(WINDOWS, "--windows", "FILE", INFILE, "a file, or - for standard input", ON_TSP, MORE,       \
      "time windows (up to 128 cities): lines \"ready,due\",\n"                                    \
      "\"ready,due,service\" or \"city,ready,due,service\", or\n"                                  \
      "columns named by a header. Times are in the unit of the\n"                                  \
      "weights, or all like 8:30, 8:30:15, 8:30 pm (25:30: next\n"                                 \
      "day; weights and service: minutes); due may be inf.\n"                                      \
      "Solomon, VRPLIB and TSPTW files bring their own")                                           \
    X(SPEED, "--speed", "V", DECIMAL, "1e-3:1e6:km/h, 0.001 to 1e6", ON_TSP, MORE,                 \
      "time windows: weights are km, at V km/h; times are\n"                                       \
      "minutes or clock times")                                                                    \
    X(EARLIEST_END, "--earliest-end", "", FLAG, "", ON_TSP, MORE,                                  \
      "time windows: minimise when the tour ends (makespan),\n"                                    \
      "not its travel time")                                                                       \
    X(FROM, "--from", "FILE", INFILE, "a TSPLIB tour, or - for standard input", ON_TSP, MORE,      \
      "start from this TSPLIB tour (branch and bound)")                                            \
    X(SEARCH_SEED, "--search-seed", "S", NUMBER, "0:max", ON_TSP, MORE,                            \
      "seed of the restarts for the first tour")                                                   \
    X(KICKS, "--kicks", "K", NUMBER, "1:max", ON_TSP, MORE,                                        \
      "heuristic: stop after K random changes (default: 25 per\n"                                  \
      "city, or until --time-limit)")                                                              \
    X(TOUR, "--tour", "FILE", OUTFILE, "a file name, or - for standard output", ON_TSP, MAIN,      \
      "write the tour as a TSPLIB tour")                                                           \
    X(GEOJSON, "--geojson", "FILE", OUTFILE, "a file name, or - for standard output", ON_TSP,      \
      MAIN, "write the route for a map")                                                           \
    X(GPX, "--gpx", "FILE", OUTFILE, "a file name, or - for standard output", ON_TSP, MAIN,        \
      "write the route for a navigation device")                                                   \
    X(BATCH, "--batch", "K", NUMBER, "1:4000000000", ON_TSP, MORE,                                 \
      "K instances of --random N, or of FILE: x y, .npy, or\n"                                     \
      "lines \"x y x y ... output\" of training data")                                             \
    X(LENGTHS, "--lengths", "FILE", OUTFILE, "a file name, or - for standard output", ON_TSP,      \
      MORE, "--batch: write lengths, lower bounds and states (CSV)")                               \
    X(INSTANCE_STEPS, "--instance-steps", "S", NUMBER, "1:max", ON_TSP, MORE,                      \
      "--batch of 16 or more cities: 1-trees per instance")                                        \
    X(INSTANCE_TIME, "--instance-time", "S", DECIMAL, "1e-6:1e9:seconds, 1e-6 to 1e9", ON_TSP,     \
      MORE, "--batch of 16 or more cities: seconds per instance")                                  \
    X(LIST, "--list", "", FLAG, "", ON_LIST, MAIN, "print them (tsp: the tours of --batch)")       \
    X(FORMAT, "--format", "NAME", CHOICE, "text,csv,jsonl,npy,bytes,rle,flammenkamp,draw",         \
      ON_LIST, MAIN, "text csv jsonl npy bytes; no3: rle flammenkamp draw")                        \
    X(OUTPUT, "--output", "FILE", OUTFILE, "a file name, or - for standard output", ON_LIST, MAIN, \
      "write the list to FILE (default: -, standard output)")                                      \
    X(FIRST, "--first", "R", TEXT, "a whole number, 0 or more", ON_MAGIC | ON_PERM, MAIN,          \
      "list in order, starting at number R (from 0)")                                              \
    X(COUNT, "--count", "C", NUMBER, "1:max", ON_MAGIC | ON_PERM, MAIN,                            \
      "list C of them, in order")                                                                  \
    X(LIMIT, "--limit", "K", NUMBER, "1:max", ON_MAGIC | ON_NO3, MAIN, "stop after K of them")     \
    X(CHECK, "--check", "FILE", INFILE, "a file, or - for standard input", ON_LIST, MAIN,          \
      "check a whole list in any format (tsp: a tour)")                                            \
    X(SVG, "--svg", "FILE", OUTFILE, "a file name, or - for standard output",                      \
      ON_MAGIC | ON_NO3 | ON_TSP, MAIN, "draw the result (several: side by side)")                 \
    X(TITLE, "--title", "TEXT", TEXT, "a text", ON_MAGIC | ON_NO3 | ON_TSP, MORE,                  \
      "--svg: the title; \"\" for none")                                                           \
    X(PARTS, "--parts", "K", NUMBER, "1:1000000", ON_MAGIC | ON_NO3, MORE,                         \
      "split a long run into K work units; any process with\n"                                     \
      "this command and --folder may claim one")                                                   \
    X(FOLDER, "--folder", "DIR", TEXT, "a folder", ON_CLUSTER | ON_MAGIC | ON_NO3, MORE,           \
      "keep the parts here; all ranks or machines must see it")                                    \
    X(SHARDS, "--shards", "K", NUMBER, "1:1000000", ON_CLUSTER, MAIN,                              \
      "number of shards (default: 64)")                                                            \
    X(BACKENDS, "--backends", "A,B", TEXT, "a list of backends", ON_CLUSTER, MAIN,                 \
      "backends of the ranks, in turn (default: --backend)")                                       \
    X(SILENCE, "--silence", "S", DECIMAL, "1:1e9:seconds, 1 to 1e9", ON_CLUSTER, MAIN,             \
      "treat a rank as lost after S silent seconds (60)")                                          \
    X(SEARCH, "--search", "NAME", CHOICE, "magic,no3,perm,visit,tsp", ON_BENCH, MAIN,              \
      "only magic, no3, perm, visit or tsp")                                                       \
    X(LONG, "--long", "", FLAG, "", ON_BENCH, MAIN, "larger cases too")                            \
    X(LONGEST, "--longest", "", FLAG, "", ON_BENCH, MAIN, "all cases, up to minutes on a GPU")     \
    X(ONLY, "--only", "TEXT", TEXT, "a part of a command", ON_BENCH, MAIN,                         \
      "only the case TEXT, or every command containing it")                                        \
    X(REPEAT, "--repeat", "R", NUMBER, "1:100", ON_BENCH, MAIN, "the best of R runs (default: 3)") \
    X(SELF_TEST, "--self-test", "", FLAG, "", ON_DEVICES, MAIN,                                    \
      "test every kernel of each device with known answers")                                       \
    X(BACKEND, "--backend", "NAME", CHOICE, "auto,cpu,cuda,opencl", ON_ALL, COMMON,                \
      "auto (the best in this build), cpu, cuda or opencl")                                        \
    X(DEVICE, "--device", "K", NUMBER, "0:1000", ON_ALL, COMMON,                                   \
      "device K of the backend, from 0 (list: combgpu devices)")                                   \
    X(DEVICES, "--devices", "LIST", TEXT,                                                          \
      "all, or a list like 0,1,2 or cuda:0,opencl:1,cpu of at most 32", ON_RUN, COMMON,            \
      "share the work: 0,1,2 or cuda:0,opencl:1,cpu, or all\n"                                     \
      "devices of the backend (auto: all GPUs)")                                                   \
    X(THREADS, "--threads", "N", NUMBER, "1:4096", ON_ALL, COMMON, "CPU threads (default: all)")   \
    X(MEMORY_LIMIT, "--memory-limit", "M", NUMBER, "1:1000000000", ON_ALL, COMMON,                 \
      "use at most M MiB on each device (default: half)")                                          \
    X(TIME_LIMIT, "--time-limit", "S", DECIMAL, "1e-6:1e9:seconds, 1e-6 to 1e9", ON_RUN, COMMON,   \
      "stop after S seconds with what is known so far")                                            \
    X(CHECKPOINT, "--checkpoint", "FILE", TEXT, "a file name", ON_SEARCH, COMMON,                  \
      "save the state to FILE every minute and at the end")                                        \
    X(RESUME, "--resume", "", FLAG, "", ON_SEARCH, COMMON, "resume from that file if it exists")   \
    X(CHECKPOINT_INTERVAL, "--checkpoint-interval", "S", DECIMAL,                                  \
      "1e-3:1e9:seconds, 0.001 to 1e9", ON_SEARCH | ON_CLUSTER, COMMON,                            \
      "seconds between two saves (default: 60)")                                                   \
    X(SHARD, "--shard", "I/K", TEXT, "I/K, with I from 0 to K-1 and K from 1 to 2147483647",       \
      ON_SEARCH, COMMON, "search shard I of K, from 0; shard results add up")                      \
    X(MERGE, "--merge", "FILE...", INFILE, "files", ON_SEARCH, COMMON,                             \
      "add up the checkpoints of all shards, without a search")                                    \
    X(FORECAST, "--forecast", "", FLAG, "", ON_SEARCH, COMMON,                                     \
      "do not search: estimate steps and time, with errors,\n"                                     \
      "from samples (--seed) and a second of work, ignoring\n"                                     \
      "--limit; they may stay \"not known\"")                                                      \
    X(VERIFY, "--verify", "P", DECIMAL, "1e-6:100:percent, 1e-6 to 100", ON_SEARCH, COMMON,        \
      "compute P percent again, on another device too; report\n"                                   \
      "and correct wrong results; refuse a search that cannot\n"                                   \
      "be verified")                                                                               \
    X(SLICE_MS, "--slice-ms", "MS", DECIMAL, "1:500:milliseconds from 1 to 500", ON_RUN, COMMON,   \
      "length of one time slice, 1 to 500 (default: 50)")                                          \
    X(SLICE_LIMIT, "--slice-limit", "S", DECIMAL, "1e-3:1e9:seconds, 0.001 to 1e9", ON_RUN,        \
      COMMON, "treat a device as hung after S seconds (60; CPU: 600)")                             \
    X(JSON, "--json", "", FLAG, "", ON_ALL, COMMON,                                                \
      "print one JSON object; numbers above 2^53 are strings")                                     \
    X(QUIET, "--quiet", "", FLAG, "", ON_ALL, COMMON, "no progress, no notes")                     \
    X(PROGRESS, "--progress", "FORM", CHOICE, "auto,line,log,json,none", ON_RUN, COMMON,           \
      "on standard error: auto (the default: line on a\n"                                          \
      "terminal, else log), line (redrawn), log (every\n"                                          \
      "minute), json (an object a second: fraction, steps,\n"                                      \
      "steps_per_s, elapsed_s, remaining_s,\n"                                                     \
      "remaining_error_s (half of the 95 % interval),\n"                                           \
      "solutions, tasks_left, device, devices; null: unknown),\n"                                  \
      "none")                                                                                      \
    X(PROGRESS_EVERY, "--progress-every", "S", DECIMAL, "0.01:1e9:seconds, 0.01 to 1e9", ON_RUN,   \
      COMMON, "seconds between two lines of log or json")                                          \
    X(HELP, "--help", "[all]", FLAG, "", ON_ALL, COMMON, "the command's options; all: every one")

#define X(id, name, argument, kind, may_be, commands, level, help) OPTION_##id,
enum option_number { OPTIONS(X) OPTIONS_END };
#undef X

typedef struct option {
    const char *name, *argument;
    enum option_kind kind;
    const char *may_be;
    int commands;
    enum option_level level;
    const char *help;
} option;

#define X(id, name, argument, kind, may_be, commands, level, help)                                 \
    {name, argument, kind, may_be, commands, level, help},
static const option options[OPTIONS_END] = {OPTIONS(X)};
#undef X
#define X(id, name, what) name,
static const char *const command_names[COMMAND_COUNT] = {COMMANDS(X)};
#undef X
#define X(id, name, what) what,
static const char *const command_texts[COMMAND_COUNT] = {COMMANDS(X)};
#undef X

/* The value of an option. If it is repeated, the last one counts; option_each returns all. */
typedef struct option_value {
    int times;
    const char *text;
    uint64_t number; /* NUMBER, CHOICE: its index */
    double decimal;
} option_value;

static struct {
    int argc;
    char **argv;
    int command; /* COMMAND_MAGIC ... */
    const char *program;
    option_value value[OPTIONS_END];
    const char *argument;     /* the operand; may be NULL */
    const char *const *merge; /* of --merge */
    int merge_count;
    int rank; /* of an MPI job, else 0 */
} cmd;

/* ---- errors in the command line */

static void report_error(combgpu_status status, const char *message); /* combgpu_output.h */

static const char *did_you_mean(const char *word, const char *prefix, const char *const *words,
                                int count); /* combgpu_words.h */

/* Wrong arguments: one line, exit status 2. */
static void usage(const char *format, ...) COMMAND_PRINTF(1, 2) COMMAND_NORETURN;
static void usage(const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report_error(COMBGPU_INVALID_ARGUMENT, message);
    exit(2);
}

static const char *option_name(int id)
{
    return options[id].name;
}

/* The end of a message about a value: what it may be. */
static void wrong_value(int id, const char *value, const char *may_be) COMMAND_NORETURN;
static void wrong_value(int id, const char *value, const char *may_be)
{
    usage("%s is \"%.80s\"; it may be %s", option_name(id), value, may_be);
}

/* ---- what the command line says */

static int given(int id)
{
    return cmd.value[id].times;
}

static uint64_t number_of(int id, uint64_t otherwise)
{
    return cmd.value[id].times ? cmd.value[id].number : otherwise;
}

static double decimal_of(int id, double otherwise)
{
    return cmd.value[id].times ? cmd.value[id].decimal : otherwise;
}

/* The option's text, NULL if it is not given. */
static const char *text_of(int id)
{
    return cmd.value[id].text;
}

/* Reads all of `text` as decimal digits. Returns 0 if it is anything else or too large. */
static int parse_u64(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text) return 0;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (*text < '0' || digit > 9 || *value > (UINT64_MAX - digit) / 10) return 0;
        *value = *value * 10 + digit;
    }
    return 1;
}

/* A NUMBER in a narrower range than the list's; `otherwise` if not given. */
static int int_of(int id, int least, int most, int otherwise)
{
    char may_be[80];
    if (!given(id)) return otherwise;
    snprintf(may_be, sizeof may_be, "a whole number from %d to %d", least, most);
    if (cmd.value[id].number < (uint64_t)least || cmd.value[id].number > (uint64_t)most)
        wrong_value(id, text_of(id), may_be);
    return (int)cmd.value[id].number;
}

/* Ends the program if two of the options of a list (ended by -1) are given. */
static void exclusive(const int *ids)
{
    int i, before = -1;
    for (i = 0; ids[i] >= 0; i++) {
        if (!given(ids[i])) continue;
        if (before >= 0)
            usage("%s and %s cannot be combined; give one of them", option_name(before),
                  option_name(ids[i]));
        before = ids[i];
    }
}

/* Ends the program if `id` is given together with one of the options of a list. */
static void goes_without(int id, const int *ids)
{
    int i;
    for (i = 0; given(id) && ids[i] >= 0; i++)
        if (given(ids[i]))
            usage("%s cannot be combined with %s", option_name(id), option_name(ids[i]));
}

static void goes_with(int id, int needed)
{
    if (given(id) && !given(needed)) usage("%s needs %s", option_name(id), option_name(needed));
}

/* Ends the program if an option of searches is given with `id`, which does not search. */
static void searches_nothing(int id)
{
    static const int ids[] = {OPTION_CHECKPOINT,
                              OPTION_SHARD,
                              OPTION_MERGE,
                              OPTION_FORECAST,
                              OPTION_VERIFY,
                              OPTION_TIME_LIMIT,
                              -1};
    goes_without(id, ids);
}

/* ---- the parser */

/* Finds word n, from 0, of a comma-separated list. Returns its length, or -1. */
static int nth_word(const char *words, int n, const char **word)
{
    while (n--) {
        words = strchr(words, ',');
        if (!words) return -1;
        words++;
    }
    *word = words;
    return (int)strcspn(words, ",");
}

static void take_choice(int id, const char *text)
{
    char may_be[300] = "", names[16][20];
    const char *word, *choices[16];
    size_t at = 0;
    int i, length;
    for (i = 0; (length = nth_word(options[id].may_be, i, &word)) >= 0; i++) {
        if (length == (int)strlen(text) && !strncmp(word, text, (size_t)length)) {
            cmd.value[id].number = (uint64_t)i;
            return;
        }
        at += (size_t)snprintf(may_be + at, sizeof may_be - at, "%s%.*s",
                               i == 0         ? ""
                               : word[length] ? ", "
                                              : " or ",
                               length, word);
        snprintf(names[i], sizeof names[i], "%.*s", length, word);
        choices[i] = names[i];
    }
    snprintf(may_be + at, sizeof may_be - at, "%s", did_you_mean(text, "", choices, i));
    wrong_value(id, text, may_be);
}

/* The range of --n: the list has the widest. */
static const char *n_may_be(void)
{
    switch (cmd.command) {
    case COMMAND_NO3:
        return "a whole number from 2 to 128";
    case COMMAND_PERM:
        return "a whole number from 1 to 34; with --family, --sum or --product to 64";
    default:
        return "a whole number from 1 to 128";
    }
}

static void take_number(int id, const char *text)
{
    char may_be[80], *end;
    uint64_t least = strtoull(options[id].may_be, &end, 10);
    uint64_t most = strcmp(end + 1, "max") ? strtoull(end + 1, NULL, 10) : UINT64_MAX;
    if (parse_u64(text, &cmd.value[id].number) && cmd.value[id].number >= least &&
        cmd.value[id].number <= most)
        return;
    if (id == OPTION_N) wrong_value(id, text, n_may_be());
    if (most == UINT64_MAX)
        snprintf(may_be, sizeof may_be, "a whole number, %llu or more", (unsigned long long)least);
    else
        snprintf(may_be, sizeof may_be, "a whole number from %llu to %llu",
                 (unsigned long long)least, (unsigned long long)most);
    wrong_value(id, text, may_be);
}

static void take_decimal(int id, const char *text)
{
    char *colon, *end = NULL;
    double least = strtod(options[id].may_be, &colon), most = strtod(colon + 1, &colon);
    double value = strtod(text, &end);
    if (!*text || *end || strspn(text, "0123456789.eE+-") != strlen(text) || !(value >= least) ||
        !(value <= most))
        wrong_value(id, text, colon + 1);
    cmd.value[id].decimal = value;
}

/* What a value may be, in words. */
static const char *in_words(int id)
{
    static char words[200];
    const char *colon = strchr(options[id].may_be, ':');
    if (options[id].kind == NUMBER)
        snprintf(words, sizeof words, "a whole number");
    else if (options[id].kind == DECIMAL)
        snprintf(words, sizeof words, "%s", strchr(colon + 1, ':') + 1);
    else
        snprintf(words, sizeof words, "%s", options[id].may_be);
    return words;
}

/* The option for the problem's size, which beginners leave out; -1: the command has none. */
static int size_option(void)
{
    return cmd.command == COMMAND_MAGIC                                ? OPTION_ORDER
           : cmd.command == COMMAND_NO3 || cmd.command == COMMAND_PERM ? OPTION_N
                                                                       : -1;
}

/* Ends the program: the command has no option of this name, `length` bytes long. */
static void unknown_option(const char *text, size_t length) COMMAND_NORETURN;
static void unknown_option(const char *text, size_t length)
{
    const char *names[OPTIONS_END];
    const size_t dashes = strspn(text, "-");
    const char *meant;
    char name[62];
    int id, count = 0;
    for (id = 0; id < OPTIONS_END; id++)
        if (options[id].commands >> cmd.command & 1) names[count++] = options[id].name + 2;
    snprintf(name, sizeof name, "%.*s", (int)(length > 60 ? 60 : length), text);
    meant = dashes < length ? did_you_mean(name + dashes, "--", names, count) : "";
    usage("unknown option %s%s", name, *meant ? meant : "; --help lists the options");
}

/* Takes the option at argv[at]. Returns the index of its last word. */
static int take_option(int at)
{
    const char *text = cmd.argv[at], *equals = strchr(text, '='), *value = NULL;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int id;
    for (id = 0; id < OPTIONS_END; id++)
        if (strlen(options[id].name) == length && !strncmp(options[id].name, text, length)) break;
    if (id == OPTIONS_END) unknown_option(text, length);
    if (!(options[id].commands >> cmd.command & 1)) {
        const int size = id == OPTION_N || id == OPTION_ORDER ? size_option() : -1;
        usage("%s has no option %s; %s%s", command_names[cmd.command], options[id].name,
              size < 0 ? "--help lists the options" : "did you mean ",
              size < 0           ? ""
              : size == OPTION_N ? "--n?"
                                 : "--order?");
    }
    cmd.value[id].times++;
    if (options[id].kind == FLAG) {
        if (equals) usage("%s takes no value", options[id].name);
        return at;
    }
    if (equals)
        value = equals + 1;
    else if (at + 1 < cmd.argc && strncmp(cmd.argv[at + 1], "--", 2))
        value = cmd.argv[++at];
    else
        usage("%s needs a value: %s", options[id].name, in_words(id));
    if (options[id].kind == OUTFILE && !strcmp(value, "/dev/stdout"))
        value = "-"; /* opened again, a file there would be overwritten from its beginning */
    cmd.value[id].text = value;
    if ((options[id].kind == INFILE || options[id].kind == OUTFILE) && !*value)
        wrong_value(id, value, options[id].may_be);
    if (options[id].kind == CHOICE) take_choice(id, value);
    if (options[id].kind == NUMBER) take_number(id, value);
    if (options[id].kind == DECIMAL) take_decimal(id, value);
    if (id == OPTION_MERGE) {
        cmd.merge = (const char *const *)&cmd.argv[at];
        cmd.merge_count = 1;
        while (at + 1 < cmd.argc && strncmp(cmd.argv[at + 1], "--", 2)) {
            if (!*cmd.argv[++at]) wrong_value(id, "", options[id].may_be);
            cmd.merge_count++;
        }
    }
    return at;
}

/* Returns the values of a repeated option in order, then NULL. *at is 0 before the first call. */
static const char *option_each(int id, int *at)
{
    const char *name = options[id].name;
    size_t length = strlen(name);
    if (!*at) *at = 1;
    while (++*at < cmd.argc) {
        const char *text = cmd.argv[*at];
        if (!strcmp(text, name)) return cmd.argv[++*at];
        if (!strncmp(text, name, length) && text[length] == '=') return text + length + 1;
    }
    return NULL;
}

/* Reads the command line from argv[from] on. */
static void parse_options(int from)
{
    const int size = size_option();
    uint64_t number;
    int at;
    for (at = from; at < cmd.argc; at++) {
        const char *text = cmd.argv[at];
        if (!strcmp(text, "-h")) {
            cmd.value[OPTION_HELP].times++;
        } else if (text[0] == '-' && text[1])
            at = take_option(at);
        else if (given(OPTION_HELP) && !strcmp(text, "all")) {
            cmd.value[OPTION_HELP].text = text;
        } else if (size >= 0 && parse_u64(text, &number))
            usage("unexpected argument \"%.60s\"; did you mean %s %.60s?", text, option_name(size),
                  text);
        else if (cmd.argument || !((ON_TSP | ON_QAP | ON_DEMO | ON_CLUSTER) >> cmd.command & 1))
            usage("unexpected argument \"%.60s\"; --help lists the options", text);
        else if (!*text)
            usage("an argument is empty (\"\"); it may be a file name");
        else
            cmd.argument = text;
    }
}

#endif
