// SPDX-License-Identifier: Apache-2.0
//
// usage: faulty_line FAULT WAY BYTE MACHINE FIRMWARE.elf
// A firmware on QEMU behind a serial line that loses ("drop"), changes ("flip") or doubles ("double") one byte on its
// way "to" or "from" the firmware, counted from 0; "none" does nothing. Prints the path of the terminal that is the
// other end of the line. Runs until it is killed, or for two minutes.
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

struct way {
    int from, to;
    const char *fault; // NULL: none
    long place, count;
};

static void check(bool holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(1);
    }
}

// Both ends of a new terminal in raw mode.
static void open_pair(int *master, int *slave, char *path, size_t bytes)
{
    struct termios settings;
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    check(*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0, "posix_openpt");
    snprintf(path, bytes, "%s", ptsname(*master));
    *slave = open(path, O_RDWR | O_NOCTTY);
    check(*slave >= 0 && tcgetattr(*slave, &settings) == 0, path);
    cfmakeraw(&settings);
    check(tcsetattr(*slave, TCSANOW, &settings) == 0, path);
}

static void write_all(int to, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = write(to, bytes, count);
        check(sent > 0 || errno == EINTR, "write");
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
}

static void forward(struct way *way)
{
    unsigned char bytes[512], sent[513];
    size_t count = 0;
    const ssize_t got = read(way->from, bytes, sizeof bytes);
    check(got > 0, "read");
    for (ssize_t i = 0; i < got; i++) {
        const bool is_here = way->fault && way->count++ == way->place;
        if (is_here && strcmp(way->fault, "drop") == 0) {
            continue;
        }
        sent[count++] = is_here && strcmp(way->fault, "flip") == 0 ? bytes[i] ^ 0x20 : bytes[i];
        if (is_here && strcmp(way->fault, "double") == 0) {
            sent[count++] = bytes[i];
        }
    }
    write_all(way->to, sent, count);
}

static void start_qemu(int terminal, char *machine, char *firmware)
{
    if (fork() != 0) {
        return;
    }
    char set[32];
    snprintf(set, sizeof set, "fd=%d,set=1", terminal);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char *const words[] = {"qemu-system-arm",
                           "-M",
                           machine,
                           "-display",
                           "none",
                           "-monitor",
                           "none",
                           "-add-fd",
                           set,
                           "-chardev",
                           "serial,id=port,path=/dev/fdset/1",
                           "-serial",
                           "chardev:port",
                           "-semihosting-config",
                           "enable=on,target=native",
                           "-kernel",
                           firmware,
                           NULL};
    execvp(words[0], words);
    perror(words[0]);
    _exit(1);
}

int main(int argc, char **argv)
{
    char outer[128], inner[128];
    int host, host_slave, qemu, qemu_slave;
    check(argc == 6, "usage: faulty_line FAULT WAY BYTE MACHINE FIRMWARE.elf");
    const char *fault = strcmp(argv[1], "none") == 0 ? NULL : argv[1];
    const bool is_to = strcmp(argv[2], "to") == 0;
    alarm(120);
    open_pair(&host, &host_slave, outer, sizeof outer);
    open_pair(&qemu, &qemu_slave, inner, sizeof inner);
    start_qemu(qemu, argv[4], argv[5]);
    close(qemu);
    printf("%s\n", outer);
    fflush(stdout);
    struct way ways[2] = {{host, qemu_slave, is_to ? fault : NULL, atol(argv[3]), 0},
                          {qemu_slave, host, is_to ? NULL : fault, atol(argv[3]), 0}};
    for (;;) {
        struct pollfd ready[2] = {{.fd = host, .events = POLLIN}, {.fd = qemu_slave, .events = POLLIN}};
        check(poll(ready, 2, -1) > 0, "poll");
        for (int i = 0; i < 2; i++) {
            if (ready[i].revents & (POLLIN | POLLHUP)) {
                forward(&ways[i]);
            }
        }
    }
}
