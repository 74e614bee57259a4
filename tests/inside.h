/* The tests' access to the library's private parts, unless they compile the implementation themselves
   (TEST_OWN_IMPLEMENTATION). inside.c, which knows the engine's structs, defines these functions. */
#ifndef COMBGPU_INSIDE_H
#define COMBGPU_INSIDE_H

#include "../combgpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a job between two steps: sizes that no public option sets, to cut a search anywhere */

/* Limits the next slice to this many steps. */
void inside_set_budget(combgpu_job *job, uint32_t steps);
/* Records that a slice has room for. */
uint32_t inside_record_room(const combgpu_job *job);
void inside_set_record_room(combgpu_job *job, uint32_t records);
/* Limits each of the job's devices to this many workers. */
void inside_limit_workers(combgpu_job *job, uint32_t most);
/* Records not yet delivered; the second makes the delivered ones of the last slice wait again. */
uint32_t inside_records_pending(const combgpu_job *job);
void inside_undeliver(combgpu_job *job);
/* Hands the search a record, as if a device had found it. */
combgpu_status inside_record(combgpu_job *job, const uint32_t *record);
/* The kernel that devices run for it; NULL: none. */
const char *inside_kernel(const combgpu_job *job);
/* Nonzero if the CPU works in the place of a device that cannot run the kernel. */
int inside_on_cpu(const combgpu_job *job);
/* The names of all kernels, in order; may be NULL. */
const char *inside_kernel_name(int i);
/* The probe with groups of 4, 8 or 32 lanes: every kernel's parts alone. */
combgpu_status inside_probe(combgpu_context *ctx, int lanes);

/* ---- the rest of the engine */

void inside_forget_message(combgpu_context *ctx);
/* CRC-32 as at the end of a checkpoint. */
uint32_t inside_crc32(const void *data, size_t bytes);
/* The vector instructions that the context's CPU code uses: "none", "avx2", ... */
const char *inside_simd_name(const combgpu_context *ctx);

#ifdef COMBGPU__HAS_NO3
/* Calls combgpu_no3_begin with boards of a given number of words; 0 = the library's choice. */
combgpu_status inside_no3_begin(combgpu_context *ctx, const combgpu_no3_desc *desc, int words,
                                combgpu_job **job);
#endif
#ifdef COMBGPU__HAS_MAGIC
/* Joins halves of order 5 for every `stride`-th pair of diagonals: the squares found, and a hash of
   them, pair by pair. */
uint64_t inside_magic_join(combgpu_context *ctx, uint32_t first, uint32_t stride, uint64_t *hash);
/* Order 5: how many squares have a pair of diagonals in one of its 36 ways (36 * pair + way), whose
   cells are the givens; *pairs: how many pairs there are. */
uint32_t inside_magic_configuration(uint32_t number, int *givens, uint32_t *pairs);
/* The magic series of order 6 as sets; and the p-th way to place two of them on the diagonals of a square. */
#define INSIDE_MAGIC_SIX_SERIES 32134
void inside_magic_six_series(uint64_t *series);
void inside_magic_six_place(uint64_t a, uint64_t b, uint32_t p, int *square);
/* Pairs of diagonals of order 5, all of them; and how many squares with this number in the centre each of
   some pairs has, by which a list finds its squares: counts[begin] to counts[end - 1]. */
#define INSIDE_MAGIC_PAIRS 227225
combgpu_status inside_magic_list_counts(combgpu_context *ctx, int centre, uint32_t begin,
                                        uint32_t end, uint32_t *counts);
/* The index of a list of order 5 with 1 in the centre that the context keeps, or NULL; a copy for it to keep;
   and the pair of a square of a list whose pairs begin at these offsets. */
const uint32_t *inside_magic_list_index(const combgpu_context *ctx);
combgpu_status inside_magic_list_keep(combgpu_context *ctx, const uint32_t *index);
uint32_t inside_magic_pair_of(const uint32_t *offsets, uint32_t pairs, uint64_t square);
/* Is this square the least of those that the M-group makes of it? */
int inside_magic_is_m_least(int order, const int *square);
/* Estimates of order 4 or 5: the ways to fill the rest with the numbers of a set, so that rows and then
   columns get what they need. */
uint64_t inside_magic_rest(int order, uint64_t numbers, const int *need);
/* Order 5: the ways to make columns of five rows, which are sets of numbers. */
uint32_t inside_magic_orthogonal(const uint32_t *rows);
#endif
#ifdef COMBGPU__HAS_TSP
/* Of branch and bound, begun: without branch and cut, and on the host for a short slice alone. */
void inside_tsp_on_device(combgpu_job *job);
#endif
#ifdef COMBGPU__HAS_PERM
/* Philox4x32-10: four words of a counter under a key. */
void inside_philox(uint64_t key, const uint32_t *counter, uint32_t *words);
/* Orders of the last places of a multiset in a kernel's list; bit i of shape: place i + 1 has another
   value than place i. There is enough of every value. */
uint32_t inside_multi_orders(int places, uint32_t shape);
#endif
/* The fraction that a job's progress tells after samples of so many steps alone, `times` times over. */
double inside_fraction(combgpu_job *job, const double *steps, int count, int times);

/* Makes the context's device a GPU with so many compute units, for those who ask. */
void inside_pretend_gpu(combgpu_context *ctx, int units);

#ifdef COMBGPU_OPENCL
/* The first OpenCL device in the library's order: a cl_device_id. */
void *inside_cl_device(void);
/* Makes an open OpenCL device a smaller one: lanes of a work-group, bytes of its local memory, nonzero if
   it computes with doubles. */
void inside_limit_device(combgpu_context *ctx, size_t lanes, size_t local, int doubles);
/* Groups of lanes share a sub-group, as on GPUs, of `lanes` lanes (a sum: of one of these sizes) where that can
   be chosen; nonzero if the device has sub-groups for it. And whether the job's kernel does so. */
int inside_pack(combgpu_context *ctx, size_t lanes);
int inside_packed(const combgpu_job *job);
#endif

#ifdef __cplusplus
}
#endif
#endif
