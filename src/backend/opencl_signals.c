/* ---- Ctrl-C, a closed terminal and SIGTERM are not for OpenCL's driver.

   A driver may run a linker as a process, as PoCL does at the first launch of a kernel. A terminal sends
   SIGINT and SIGHUP to that, too, and what ends a group of processes SIGTERM; it dies, and PoCL aborts
   the whole program. Threads and processes inherit a mask: while the host calls what starts the driver's
   threads or compiles, these signals are masked, and come to the host afterwards. */

#ifdef SIG_BLOCK
typedef sigset_t combgpu__mask;

COMBGPU__PRIVATE void combgpu__mask_begin(combgpu__mask *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, before); /* of this thread, where there are several */
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
