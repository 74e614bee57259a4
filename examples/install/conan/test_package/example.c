#include <combgpu.h>
#include <stdio.h>

int main(void)
{
    combgpu_context *ctx;
    combgpu_no3_desc search = {0};
    combgpu_no3_result result = {0};
    search.n = 8;
    if (combgpu_open(&ctx, NULL) || combgpu_no3(ctx, &search, &result)) return 1;
    printf("%d solutions\n", (int)result.all);
    combgpu_close(ctx);
    return result.all != 380;
}
