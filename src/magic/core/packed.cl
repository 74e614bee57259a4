/* Returns number i of a packed set: 5 bits each (core/series.c). */
COMBGPU__DEVICE uint32_t combgpu_magic_nibble(uint32_t x, uint32_t i)
{
    return (x >> (5 * i)) & 31;
}
