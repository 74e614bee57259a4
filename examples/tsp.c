/* Travelling salesman: a shortest tour, proven, of a TSPLIB file or of random points.

       cc -O3 -fopenmp examples/tsp.c -o tsp
       nvcc -O3 -x cu -DCOMBGPU_CUDA examples/tsp.c -o tsp
       cc -O3 -DCOMBGPU_OPENCL examples/tsp.c -o tsp -lOpenCL

       ./tsp tests/data/tsplib/burma14.tsp                   the tour of length 3323
       ./tsp tests/data/tsplib/ulysses16.tsp --tour u16.tour and a TSPLIB tour file
       ./tsp --random 12 --seed 7 --method brute-force       looks at every tour
       ./tsp FILE --path --start 1                           open path from city 1
       ./tsp tests/data/tsplib/ulysses22.tsp --svg u22.svg   draws it
       ./tsp --random 12 --batch 100000                      so many instances side by side */
#define COMBGPU_IMPLEMENTATION
#define COMBGPU_ONLY_TSP
#include "../combgpu.h"

#include "common.h"

static const char help[] =
    "tsp - a shortest tour through all cities, proven\n\n"
    "  tsp FILE                      solves a TSPLIB file (TSP or ATSP)\n"
    "  tsp --random 12 --seed 7      solves random points\n\n"
    "Options:\n"
    "  --random N          N points in a square of side 1000, rounded distances\n"
    "  --seed S            of the random points (default: 1)\n"
    "  --method NAME       auto, brute-force, held-karp or branch-and-bound\n"
    "  --path              an open path instead of a closed tour\n"
    "  --start C, --end C  its ends: city numbers as in the file, from 1\n"
    "  --from FILE         begin with this TSPLIB tour (branch and bound)\n"
    "  --search-seed S     of the restarts for the first tour (branch and bound)\n"
    "  --tour FILE         write the tour as a TSPLIB tour file\n"
    "  --svg FILE          draw the tour as an SVG picture\n"
    "  --batch COUNT       with --random N: COUNT instances (N <= 15) at once\n";

static const char *const methods[] = {"auto", "brute-force", "held-karp", "branch-and-bound"};

/* --tour FILE; 0 = it cannot be written. */
static int write_tour(const char *path, const combgpu_tsp_instance *instance,
                      const combgpu_tsp_result *result)
{
    FILE *file = fopen(path, "w");
    int i, good;
    if (!file) return 0;
    fprintf(file, "NAME : %s.tour\nCOMMENT : length %.15g%s\nTYPE : TOUR\nDIMENSION : %d\n",
            instance->name, result->length, result->optimal ? ", optimal" : "", result->n);
    fprintf(file, "TOUR_SECTION\n");
    for (i = 0; i < result->n; i++)
        fprintf(file, "%d\n", result->tour[i] + 1);
    fprintf(file, "-1\nEOF\n");
    good = !ferror(file);
    return fclose(file) == 0 && good;
}

/* --svg FILE; 0 = it cannot be written. */
static int write_svg(combgpu_context *ctx, const char *path, const combgpu_tsp_desc *desc,
                     const combgpu_tsp_result *result)
{
    FILE *file = fopen(path, "w");
    size_t bytes = 0;
    char *text = NULL;
    int good = 0;
    if (!file) return 0;
    if (!combgpu_tsp_to_svg(ctx, desc->instance, desc->shape, result->tour, NULL, 0, &bytes))
        text = (char *)malloc(bytes);
    if (text &&
        !combgpu_tsp_to_svg(ctx, desc->instance, desc->shape, result->tour, text, bytes, NULL))
        good = fputs(text, file) >= 0;
    free(text);
    return fclose(file) == 0 && good;
}

static void print_result(const combgpu_tsp_desc *desc, const combgpu_tsp_result *result)
{
    int i;
    if (common.json) {
        json_string("name", desc->instance->name);
        json_u64("n", (uint64_t)desc->instance->n);
        json_string("shape", desc->shape == COMBGPU_TSP_PATH ? "path" : "cycle");
        json_string("method", methods[result->method]);
        json_double("length", result->length);
        json_bool("optimal", result->optimal);
        json_double("lower_bound", result->lower_bound);
        json_open("tour", '[');
        for (i = 0; i < result->n; i++)
            json_i64(NULL, result->tour[i] + 1);
        json_close();
        if (result->tours) json_u64("tours", result->tours);
        json_run(&result->run);
        return;
    }
    printf("%s, %d cities: ", desc->instance->name, desc->instance->n);
    printf("%s of length %.15g, %s (%s)\n", desc->shape == COMBGPU_TSP_PATH ? "path" : "tour",
           result->length, result->optimal ? "proven optimal" : "the best so far",
           methods[result->method]);
    for (i = 0; i < result->n; i++)
        printf("%s%d", i == 0 ? "    " : i % 16 == 0 ? "\n    " : " ", result->tour[i] + 1);
    printf("\n");
    if (!result->optimal)
        printf("proven lower bound %.15g, gap %.2f %%\n", result->lower_bound,
               result->length > 0 ? 100 * (1 - result->lower_bound / result->length) : 0.0);
    common_print_run(stdout, &result->run);
}

/* --batch COUNT: instances of n random points each, the first of them that of --seed. */
static int run_batch(combgpu_context *ctx, int n, uint64_t seed, uint64_t count,
                     const combgpu_tsp_desc *like)
{
    combgpu_tsp_batch_desc desc;
    combgpu_tsp_batch_result result;
    combgpu_status status;
    size_t all = (size_t)count * (size_t)n, i;
    double sum = 0;
    memset(&desc, 0, sizeof desc);
    desc.count = count;
    desc.n = n;
    desc.metric = COMBGPU_TSP_EUC_2D;
    desc.shape = like->shape;
    desc.path_start = like->path_start;
    desc.path_end = like->path_end;
    desc.run = common.run;
    if (count > SIZE_MAX / 16 / sizeof(double)) common_usage("--batch is too large");
    double *x = (double *)malloc(2 * all * sizeof *x);
    desc.lengths = (double *)malloc((size_t)count * sizeof *desc.lengths);
    desc.tours = (uint8_t *)malloc(all);
    if (!x || !desc.lengths || !desc.tours)
        common_usage("--batch %llu: out of memory", (unsigned long long)count);
    for (i = 0; i < all; i++)
        common_random_point(&seed, x + i, x + all + i);
    desc.x = x;
    desc.y = x + all;
    status = combgpu_tsp_batch(ctx, &desc, &result);
    if (status >= 0) {
        for (i = 0; i < (size_t)count; i++)
            if (desc.lengths[i] > 0) sum += desc.lengths[i];
        common_clear();
        if (common.json) {
            json_u64("n", (uint64_t)n);
            json_u64("count", count);
            json_u64("solved", result.solved);
            json_double("sum_of_lengths", sum);
            json_run(&result.run);
        } else {
            printf("%llu of %llu instances of %d cities solved, proven; mean length %.3f\n",
                   (unsigned long long)result.solved, (unsigned long long)count, n,
                   result.solved ? sum / (double)result.solved : 0.0);
            for (i = 0; i < (size_t)count && i < 3; i++) {
                int k;
                printf("    %-8.15g", desc.lengths[i]);
                for (k = 0; desc.lengths[i] >= 0 && k < n; k++)
                    printf(" %d", desc.tours[i * (size_t)n + (size_t)k] + 1);
                printf("\n");
            }
            if (count > 3) printf("    ...\n");
            common_print_run(stdout, &result.run);
        }
    }
    free(x);
    free(desc.lengths);
    free(desc.tours);
    return status < 0 ? common_failed(ctx, status) : common_end(ctx, &result.run);
}

/* Known before the search, not after it. */
static void must_be_writable(const char *option, const char *path)
{
    FILE *file = path ? fopen(path, "a") : NULL;
    if (path && !file)
        common_usage("%s %.200s cannot be written: %s", option, path, strerror(errno));
    if (file) fclose(file);
}

int main(int argc, char **argv)
{
    const char *path = NULL, *tour = NULL, *svg = NULL, *failed = NULL, *from = NULL;
    combgpu_tsp_instance instance;
    combgpu_tsp_desc desc;
    combgpu_tsp_result result;
    combgpu_status status;
    combgpu_context *ctx;
    uint64_t seed = 1, batch = 0;
    int n = 0, end, *start = NULL;
    memset(&desc, 0, sizeof desc);
    memset(&instance, 0, sizeof instance);

    common_start(argc, argv, help);
    while (common_next())
        if (common_is("--random"))
            n = (int)common_number(1, 100);
        else if (common_is("--seed"))
            seed = common_number(0, UINT64_MAX);
        else if (common_is("--method"))
            desc.method = (combgpu_tsp_method)common_choice(methods, 4);
        else if (common_is("--path"))
            desc.shape = COMBGPU_TSP_PATH;
        else if (common_is("--start"))
            desc.path_start = (int)common_number(1, 100000);
        else if (common_is("--end"))
            desc.path_end = (int)common_number(1, 100000);
        else if (common_is("--from"))
            from = common_text("a file name");
        else if (common_is("--search-seed"))
            desc.seed = common_number(0, UINT64_MAX);
        else if (common_is("--tour"))
            tour = common_text("a file name");
        else if (common_is("--svg"))
            svg = common_text("a file name");
        else if (common_is("--batch"))
            batch = common_number(1, UINT64_C(4000000000));
        else if (common_is_argument() && !path)
            path = common_text("a file name");
        else
            common_unknown();
    if (!path == !n) common_usage("give a TSPLIB file or --random N, one of the two");
    if ((desc.path_start || desc.path_end) && desc.shape != COMBGPU_TSP_PATH)
        common_usage("--start and --end need --path: a closed tour has no ends");

    if (batch && (!n || n > COMBGPU_TSP_BATCH_DIMENSION))
        common_usage("--batch needs --random N, N up to %d", COMBGPU_TSP_BATCH_DIMENSION);
    if (batch && (tour || svg || from || desc.method))
        common_usage("--batch goes without --from, --tour, --svg and --method");
    must_be_writable("--tour", tour);
    must_be_writable("--svg", svg);

    ctx = common_open("tsp");
    if (batch) return run_batch(ctx, n, seed, batch, &desc);
    status =
        path ? combgpu_tsp_read(ctx, path, &instance) : common_random_tsp(ctx, n, seed, &instance);
    if (status < 0) return common_failed(ctx, status);
    if (svg && !instance.x) {
        combgpu_tsp_free(ctx, &instance);
        common_usage("--svg: the instance has no coordinates to draw");
    }
    common.label = instance.name;
    desc.instance = &instance;
    desc.run = common.run;
    if (from) {
        start = (int *)malloc((size_t)instance.n * sizeof *start);
        if (!start) common_usage("--from: out of memory");
        status = combgpu_tsp_read_tour(ctx, from, instance.n, start);
        desc.start = start;
    }
    if (status >= 0 && common.forecast) {
        combgpu_job *job = NULL;
        status = combgpu_tsp_begin(ctx, &desc, &job);
        free(start);
        combgpu_tsp_free(ctx, &instance);
        return common_forecast(ctx, status, job);
    }
    if (status >= 0) status = combgpu_tsp(ctx, &desc, &result);
    free(start);
    if (status < 0) {
        combgpu_tsp_free(ctx, &instance);
        return common_failed(ctx, status);
    }
    common_clear();
    print_result(&desc, &result);
    if (tour && !write_tour(tour, &instance, &result)) failed = tour;
    if (svg && !write_svg(ctx, svg, &desc, &result)) failed = svg;
    if (failed) fprintf(stderr, "tsp: %s cannot be written: %s\n", failed, strerror(errno));
    combgpu_tsp_free(ctx, &instance);
    end = common_end(ctx, &result.run);
    return end || !failed ? end : COMMON_EXIT_USAGE;
}
