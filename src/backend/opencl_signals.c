/* ---- Keeps Ctrl-C, a closed terminal and SIGTERM from OpenCL's driver.
   A driver may run a linker as a process, as PoCL does at a kernel's first launch. Terminals send it
   SIGINT and SIGHUP, too, and whoever ends a process group SIGTERM; it dies, and PoCL aborts the
   whole program. Threads and processes inherit a signal mask: the host masks these signals in calls
   that start driver threads or compile, and receives them afterwards. */

#ifdef SIG_BLOCK
typedef sigset_t combgpu__mask;

COMBGPU__PRIVATE void combgpu__mask_begin(combgpu__mask *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, before); /* of this thread alone, if there are several */
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
