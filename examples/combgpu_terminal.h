/* Hides differences between POSIX, Windows and WASI: the terminal, signals, the clock, existing files. */
#ifndef COMBGPU_EXAMPLES_TERMINAL_H
#define COMBGPU_EXAMPLES_TERMINAL_H

#include <time.h>

#ifndef __wasi__
#include <signal.h>
#endif

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#ifdef __wasi__ /* no signals, no processes, no temporary files */
#define sig_atomic_t int
#define SIGINT 2
#define getpid() 0
#define tmpfile() (errno = ENOTSUP, (FILE *)NULL)
#endif

#include "combgpu_options.h"

static volatile sig_atomic_t interrupted; /* by Ctrl-C */
static volatile sig_atomic_t reading;     /* a file, perhaps a silent pipe */
static int terminal_drawn;                /* the progress line is on the terminal */

/* Returns the seconds since some moment. */
static double wall_clock(void)
{
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC; /* of the wall, there */
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static int is_terminal(FILE *file)
{
#ifdef _WIN32
    return _isatty(_fileno(file));
#else
    return isatty(fileno(file));
#endif
}

/* Nonzero if errno says that the file does not exist; a failing disk or server cannot tell. */
static int is_missing(void)
{
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
           errno == ENAMETOOLONG;
}

static int file_exists(const char *path)
{
#ifdef _WIN32
    return _access(path, 0) == 0 || !is_missing();
#else
    return access(path, F_OK) == 0 || !is_missing();
#endif
}

/* Columns of the terminal now; it may have been resized since the last call. */
static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    uint64_t value;
#ifdef _WIN32
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info))
        return info.srWindow.Right - info.srWindow.Left + 1;
#elif defined(TIOCGWINSZ)
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
    if (columns && parse_u64(columns, &value) && value > 0 && value < 1000) return (int)value;
    return 80;
}

/* Takes the progress line off the terminal. */
static void terminal_clear(void)
{
    if (terminal_drawn) fputs("\r\033[J", stderr);
    terminal_drawn = 0;
}

/* Draws the progress line. The cursor stays in its first column: clearing from there also works after
   the terminal has wrapped the line. */
static void terminal_draw(const char *text)
{
    fprintf(stderr, "\r%s\033[J\r", text);
    terminal_drawn = 1;
}

/* Ends the program: while it reads a file, no run can be stopped. */
static void on_signal(int number)
{
    static const char text[] = "stopped before the search began\n";
#ifdef _WIN32
    signal(number, SIG_DFL);
    if (reading && _write(2, text, sizeof text - 1)) _exit(3);
#else
    (void)number;
    if (reading && write(STDERR_FILENO, text, sizeof text - 1)) _exit(3);
#endif
    interrupted = 1;
}

#if !defined(_WIN32) && !defined(__wasi__)
/* The first file opened would get the number of a closed stream (2>&-), and messages would go into that
   file. The stream stays closed for its users. */
static void keep_streams(void)
{
    int stream;
    for (stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 &&
            open("/dev/null", stream == 1 ? O_RDONLY : O_WRONLY) != stream)
            return;
}
#endif

/* Ctrl-C stops the run; a second one ends the program. Binary output is binary. */
static void terminal_begin(void)
{
#ifdef _WIN32
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | 4); /* understands \033[J */
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stdin), _O_BINARY);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
#elif !defined(__wasi__)
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP}; /* HUP: the terminal is closed */
    struct sigaction action, before;
    int i;
    keep_streams();
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (i = 0; i < 3; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* report a file at its size limit like a full disk */
#endif
#endif
}

#endif
