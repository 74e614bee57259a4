/* combgpu tsp: interprets weights: --no-connection and --maximize. */
#ifndef COMBGPU_EXAMPLES_WEIGHTS_H
#define COMBGPU_EXAMPLES_WEIGHTS_H

#include "combgpu_options.h"

/* Negates the weights: their shortest tour is a longest one. */
static void turn_weights(combgpu_tsp_instance *instance)
{
    size_t n = (size_t)instance->n, i;
    for (i = 0; given(OPTION_MAXIMIZE) && i < n * n; i++)
        if (instance->weights[i] <= 1e300) instance->weights[i] = 0 - instance->weights[i];
}

/* Applies both options. */
static void take_weights(combgpu_tsp_instance *instance)
{
    const double none = decimal_of(OPTION_NO_CONNECTION, 0);
    size_t n = (size_t)instance->n, i, found = 0;
    if (given(OPTION_NO_CONNECTION) && instance->metric != COMBGPU_TSP_MATRIX)
        usage("--no-connection is for a matrix of weights; %.200s has points",
              cmd.argument ? cmd.argument : "the instance");
    for (i = 0; given(OPTION_NO_CONNECTION) && i < n * n; i++)
        if (i % (n + 1) && instance->weights[i] == none) {
            instance->weights[i] = COMBGPU_TSP_NO_CONNECTION;
            found++;
        }
    if (given(OPTION_NO_CONNECTION) && !found && !given(OPTION_QUIET))
        fprintf(stderr, "%s: --no-connection: no weight is %s\n", cmd.program,
                text_of(OPTION_NO_CONNECTION));
    if (given(OPTION_MAXIMIZE) && !instance->weights)
        usage("--maximize takes at most %d points", COMBGPU_TSP_MAX_MATRIX);
    turn_weights(instance);
}

/* Converts a length or bound of the search to the caller's numbers. */
static double own_length(double length)
{
    return given(OPTION_MAXIMIZE) ? 0 - length : length;
}

/* The kind of tour sought. */
static const char *best_word(void)
{
    return given(OPTION_MAXIMIZE) ? "longest" : "shortest";
}

/* The message if no tour exists. */
static const char *no_tour(int proven)
{
    return proven ? "no tour exists (proven): some cities are not connected"
                  : "no tour found, not proven that none exists: some cities are not connected";
}

#endif
