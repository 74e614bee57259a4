/* ---- Ctrl-C is not for OpenCL's driver.

   A driver may run a linker as a process, as PoCL does at the first launch of a kernel. A terminal sends
   SIGINT to that, too; it dies, and PoCL aborts the whole program. Threads and processes inherit a
   mask: while the host calls what starts the driver's threads or compiles, SIGINT is masked, and comes
   to the host afterwards. */

#ifdef SIG_BLOCK
typedef sigset_t combgpu__mask;

COMBGPU__PRIVATE void combgpu__mask_begin(combgpu__mask *before)
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, before); /* of this thread, where there are several */
}

COMBGPU__PRIVATE void combgpu__mask_end(const combgpu__mask *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}
#else
typedef int combgpu__mask;

COMBGPU__PRIVATE void combgpu__mask_begin(combgpu__mask *before)
{
    *before = 0;
}

COMBGPU__PRIVATE void combgpu__mask_end(const combgpu__mask *before)
{
    (void)before;
}
#endif
