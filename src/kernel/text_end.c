/* END OF THE GENERATED BLOCK */

COMBGPU__PRIVATE const char *const *combgpu__cl_text(size_t *lines)
{
    *lines = sizeof combgpu__kernel_text / sizeof combgpu__kernel_text[0];
    return combgpu__kernel_text;
}
