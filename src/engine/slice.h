/* The control block of a slice, shared by host, C solvers and kernels: 32-bit words only, since
   every dialect has atomics for them. */
#ifndef COMBGPU__SLICE_H
#define COMBGPU__SLICE_H

#define COMBGPU__TOTALS 16
#define COMBGPU__STOP_NOW 1u     /* the record buffer is full */
#define COMBGPU__STOP_STARVED 2u /* a quarter of the workers found no task */
#define COMBGPU__STOP_OTHER 4u   /* another device waits for the host */
#define COMBGPU__STOP_SPENT 8u   /* a thread's budget is spent, and others would keep it waiting */
/* stops after which a slice does not measure the budget */
#define COMBGPU__STOP_ENOUGH (COMBGPU__STOP_NOW | COMBGPU__STOP_OTHER)
typedef struct combgpu__slice {
    uint32_t task_count; /* tasks in the pool */
    uint32_t task_next;  /* atomic: the first unclaimed task */
    uint32_t left_count; /* atomic: tasks spilled */
    uint32_t left_capacity;
    uint32_t record_count; /* atomic: records emitted; may exceed the capacity */
    uint32_t record_capacity;
    uint32_t budget; /* steps that one worker may take in this slice */
    uint32_t stop;   /* COMBGPU__STOP_*: spill what you hold and end */
    uint32_t workers;
    uint32_t task_words; /* 32-bit words in a task */
    uint32_t record_words;
    uint32_t
        area_next;  /* atomic: next free entry of the shared work memory, for kernels with output
                      there */
    uint32_t least; /* nodes to work before COMBGPU__STOP_STARVED counts */
    uint32_t blocks_done; /* atomic: for kernels whose last block finishes for all */
    uint32_t reserved[2];
    uint32_t totals[2 * COMBGPU__TOTALS]; /* 64-bit accumulators as low, high; totals 0 = nodes */
} combgpu__slice;

#endif /* COMBGPU__SLICE_H */
