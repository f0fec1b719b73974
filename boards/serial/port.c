// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // rates above 38400, CRTSCTS, TIOCEXCL
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const struct {
    uint32_t baud;
    speed_t code;
} rates[] = {
    {9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},     {115200, B115200},
    {230400, B230400}, {460800, B460800}, {921600, B921600}, {1000000, B1000000}, {2000000, B2000000},
};
enum { RATES = sizeof rates / sizeof rates[0], LONGEST_WAIT = 100 }; // milliseconds

uint32_t rl_port_baud(size_t index)
{
    return index < RATES ? rates[index].baud : 0;
}

long long rl_port_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// 0 or an errno.
static int set_raw(int descriptor, uint32_t baud)
{
    struct termios settings;
    size_t rate = 0;
    while (rate < RATES && rates[rate].baud != baud) {
        rate++;
    }
    if (rate == RATES) {
        return EDOM;
    }
    if (tcgetattr(descriptor, &settings) != 0) {
        return ENOTTY;
    }
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= (tcflag_t) ~(CSTOPB | CRTSCTS);
    settings.c_iflag &= (tcflag_t) ~(IXOFF | IXANY);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    cfsetispeed(&settings, rates[rate].code);
    cfsetospeed(&settings, rates[rate].code);
    if (tcsetattr(descriptor, TCSANOW, &settings) != 0 || ioctl(descriptor, TIOCEXCL) != 0) {
        return errno;
    }
    return tcflush(descriptor, TCIOFLUSH) == 0 ? 0 : errno;
}

int rl_port_open(struct rl_port *port, const char *path, uint32_t baud)
{
    const int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return errno;
    }
    const int error = set_raw(descriptor, baud);
    if (error) {
        close(descriptor);
        return error;
    }
    port->descriptor = descriptor;
    port->next = port->count = 0;
    port->received = 0;
    return 0;
}

void rl_port_close(struct rl_port *port)
{
    (void)ioctl(port->descriptor, TIOCNXCL);
    close(port->descriptor);
    port->descriptor = -1;
}

// Waits for POLLIN or POLLOUT.
static enum rl_port_status wait_for(struct rl_port *port, short event, long long deadline)
{
    for (;;) {
        const long long left = deadline - rl_port_now();
        struct pollfd ready = {.fd = port->descriptor, .events = event};
        if (port->goes_on && !port->goes_on(port->user)) {
            return RL_PORT_STOPPED;
        }
        const int wait = left > LONGEST_WAIT ? LONGEST_WAIT : (int)(left > 0 ? left : 0);
        if (poll(&ready, 1, wait) > 0) {
            return ready.revents & event ? RL_PORT_OK : RL_PORT_CLOSED;
        }
        if (left <= 0) {
            return RL_PORT_LATE;
        }
    }
}

enum rl_port_status rl_port_read(struct rl_port *port, long long deadline, uint8_t *byte)
{
    while (port->next == port->count) {
        const enum rl_port_status status = wait_for(port, POLLIN, deadline);
        if (status != RL_PORT_OK) {
            return status;
        }
        const ssize_t got = read(port->descriptor, port->bytes, sizeof port->bytes);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
            return RL_PORT_CLOSED;
        }
        port->next = 0;
        port->count = got > 0 ? (size_t)got : 0;
        port->received += port->count;
    }
    *byte = port->bytes[port->next++];
    return RL_PORT_OK;
}

enum rl_port_status rl_port_write(struct rl_port *port, long long deadline, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        const enum rl_port_status status = wait_for(port, POLLOUT, deadline);
        if (status != RL_PORT_OK) {
            return status;
        }
        const ssize_t sent = write(port->descriptor, bytes, count);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) {
            return RL_PORT_CLOSED;
        }
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return RL_PORT_OK;
}
