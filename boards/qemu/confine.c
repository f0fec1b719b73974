// SPDX-License-Identifier: Apache-2.0
//
// With seccomp (Linux 3.17). The filter names what it forbids, because nobody lists what a QEMU of any version and its
// C library call in order to compute. It need not withstand code in the emulator itself, only the calls that QEMU makes
// for semihosting: open, remove, rename, system.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <stddef.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/seccomp.h>) // not on the path of musl-gcc
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RL_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define RL_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__i386__)
#define RL_ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__arm__)
#define RL_ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define RL_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif
#endif
#endif

#ifdef RL_ARCHITECTURE
enum { OPENAT2 = 437, X32 = 0x40000000 };

static const int forbidden[] = {
#ifdef SYS_open
    SYS_open,
    SYS_creat,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_fork,
    SYS_vfork,
#endif
    SYS_openat,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_truncate,
    SYS_open_by_handle_at,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_mount,
    SYS_kill,
    SYS_tkill,
    SYS_chdir,
    SYS_pidfd_open,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    OPENAT2,
    SYS_io_uring_setup,
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
};
enum { FORBIDDEN = sizeof forbidden / sizeof *forbidden };

struct filter {
    struct sock_filter steps[3 * FORBIDDEN + 32];
    unsigned short count;
};

static void step(struct filter *filter, uint16_t code, uint32_t number, uint8_t if_true, uint8_t if_false)
{
    filter->steps[filter->count++] = (struct sock_filter){.code = code, .k = number, .jt = if_true, .jf = if_false};
}

static void load(struct filter *filter, size_t offset)
{
    step(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *filter, uint32_t error)
{
    step(filter, BPF_RET | BPF_K, error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | error, 0, 0);
}

// Answers with the error if what is loaded equals the number.
static void forbid(struct filter *filter, uint32_t number, uint32_t error)
{
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    answer(filter, error);
}

static void build(struct filter *filter)
{
    load(filter, offsetof(struct seccomp_data, arch));
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, RL_ARCHITECTURE, 1, 0);
    answer(filter, EPERM);
    load(filter, offsetof(struct seccomp_data, nr));
    step(filter, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    answer(filter, EPERM);
    for (size_t i = 0; i < FORBIDDEN; i++) {
        forbid(filter, (uint32_t)forbidden[i], EPERM);
    }
    forbid(filter, SYS_clone3, ENOSYS); // its flags lie in memory; the C library falls back to clone
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0);
    answer(filter, 0);
    load(filter, offsetof(struct seccomp_data, args));
    step(filter, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
    answer(filter, 0);
    answer(filter, EPERM);
}

int rl_confine(uint64_t file_bytes)
{
    struct filter filter = {.count = 0};
    build(&filter);
    const struct sock_fprog program = {.len = filter.count, .filter = filter.steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return errno;
    }
    const long stuck = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (stuck != 0) {
        return stuck < 0 ? errno : EBUSY; // otherwise the number of a thread that has another filter
    }
    const struct rlimit limit = {file_bytes, file_bytes};
    signal(SIGXFSZ, SIG_IGN); // writing fails instead
    return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? 0 : errno;
}
#else
int rl_confine(uint64_t file_bytes)
{
    (void)file_bytes;
    return ENOSYS;
}
#endif
