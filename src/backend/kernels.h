/* The list of the probe's kernels. */
#define COMBGPU__PROBE_KERNELS(PLAIN)                                                              \
    PLAIN(combgpu_probe4, "PROBE")                                                                 \
    PLAIN(combgpu_probe8, "PROBE")                                                                 \
    PLAIN(combgpu_probe32, "PROBE")
