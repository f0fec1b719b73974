// SPDX-License-Identifier: Apache-2.0
//
// A TCG plugin for qemu-system-arm that counts instructions, and models cycles, between two marks of the firmware.
//
//     -plugin file=librl_count.so,out=FILE[,model=CORE][,confine=BYTES]
//
// Counts every instruction executed after rl_mark_begin returned and before rl_mark_end is called
// (boards/common/mark.h) and writes the count as one decimal line to FILE at each rl_mark_end. The marks are found by
// the symbols of the firmware that QEMU loaded. An instruction whose condition failed counts, because it takes a cycle
// on the core, too. With a model (m0, m3, ..: boards/cycles) each line has the cycles as a second number. Then there
// are also
//
//     profile=N              prints the N blocks that took most cycles at each rl_mark_end:
//                            "profile START END TIMES CYCLES", addresses in hexadecimal
//     flash=N                wait states of accesses that miss the caches of flash (boards/cycles/flash.h)
//     code=A-B  data=A-B     addresses of code and of constants in flash (default: none)
//     line=16 ilines=64 dlines=16    bytes of a line, lines of the caches for code and constants
//     detail=1               lines for `rushlight profile`: those of operator_counts.h, and then
//                            "inference INSTRUCTIONS CYCLES LOADS STORES"
//
// Functions whose names start with rl_mark_ are not counted.
//
// With confine, the emulator gives up its rights (confine.h) before the first instruction, or ends if it cannot. BYTES
// is what its files may grow to.
#include "confine.h"
#include "cycle_model.h"
#include "flash.h"
#include "operator_counts.h"
#include "plugin_api.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int qemu_plugin_version = 1;

// There is one emulated core, so QEMU calls everything below from one thread.
static uint64_t executed;
static struct rl_counts at_begin;
static FILE *out;
static bool confining; // not yet done
static uint64_t file_bytes;

// Used only with a model.
struct block {
    struct rl_cycle_block *code;
    uint64_t times, half_cycles; // since the mark
    struct block *next;
};

static struct rl_cycle_clock model = {.core = RL_CYCLES_CORES};
static uint64_t loads, stores;
static uint64_t is_detailed;
static uint32_t number, bytes_to_come; // of a number that rl_mark_number tells
static struct block *blocks;           // QEMU may enter them as long as it runs
static uint64_t profiled;
static uint64_t flash_waits;
static struct rl_flash_cache code_cache = {.lines = 64, .line_bytes = 16};
static struct rl_flash_cache data_cache = {.lines = 16, .line_bytes = 16};

static struct rl_counts count_now(void)
{
    return (struct rl_counts){executed, rl_cycle_clock_cycles(&model), loads, stores};
}

static void on_begin(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    at_begin = count_now();
    rl_operators_clear();
    for (struct block *block = blocks; block; block = block->next) {
        block->times = block->half_cycles = 0;
    }
}

static void print_profile(void)
{
    for (uint64_t i = 0; i < profiled; i++) {
        struct block *most = blocks;
        for (struct block *block = blocks; block; block = block->next) {
            most = block->half_cycles > most->half_cycles ? block : most;
        }
        if (!most || !most->half_cycles) {
            return;
        }
        fprintf(stderr, "profile %" PRIx32 " %" PRIx32 " %" PRIu64 " %" PRIu64 "\n", rl_cycle_block_start(most->code),
                rl_cycle_block_end(most->code), most->times, most->half_cycles / 2);
        most->half_cycles = 0;
    }
}

static void on_end(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    const uint64_t call_of_mark = 1;
    const struct rl_counts now = count_now();
    if (is_detailed) {
        rl_operators_print(out);
        fputs("inference ", out);
    }
    fprintf(out, "%" PRIu64, now.instructions - at_begin.instructions - call_of_mark);
    if (model.core != RL_CYCLES_CORES || is_detailed) {
        fprintf(out, " %" PRIu64, now.cycles - at_begin.cycles);
    }
    if (is_detailed) {
        fprintf(out, " %" PRIu64 " %" PRIu64, now.loads - at_begin.loads, now.stores - at_begin.stores);
    }
    fputc('\n', out);
    fflush(out);
    print_profile();
}

static void on_leave(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    const struct rl_counts now = count_now();
    rl_operators_leave(&now);
}

static void on_number_begin(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    bytes_to_come = sizeof number;
}

// Each store of rl_mark_number tells a byte of the number by the low byte of its address. QEMU 7.2 also calls this for
// Helium stores of later blocks, which have no callback of their own.
static void on_number_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)info;
    (void)data;
    if (bytes_to_come == 0) {
        return;
    }
    number = number << 8 | (address & 0xFF);
    if (--bytes_to_come == 0) {
        const struct rl_counts now = count_now();
        rl_operators_number(number, &now);
    }
}

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    struct block *block = data;
    const int64_t half_cycles = rl_cycle_clock_enter(&model, block->code);
    if (half_cycles < 0) {
        abort();
    }
    loads += rl_cycle_block_loads(block->code);
    stores += rl_cycle_block_stores(block->code);
    block->times++;
    block->half_cycles += (uint64_t)half_cycles;
    if (flash_waits) {
        const uint32_t missing =
            rl_flash_touch(&code_cache, rl_cycle_block_start(block->code), rl_cycle_block_end(block->code));
        model.waits += missing * flash_waits;
    }
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)data;
    rl_cycle_clock_access(&model, address, 1u << qemu_plugin_mem_size_shift(info));
    if (flash_waits) {
        model.waits += rl_flash_touch(&data_cache, address, address + 1) * flash_waits;
    }
}

static void add_instruction(struct block *block, struct qemu_plugin_insn *instruction)
{
    const uint32_t address = (uint32_t)qemu_plugin_insn_vaddr(instruction);
    rl_cycle_block_add(block->code, qemu_plugin_insn_data(instruction), address);
    const enum rl_cycle_access access = rl_cycle_block_access(block->code);
    if (access == RL_CYCLES_MAY_BE_UNALIGNED || (access == RL_CYCLES_LOADS && flash_waits)) {
        qemu_plugin_register_vcpu_mem_cb(instruction, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void add_block(struct qemu_plugin_tb *translated)
{
    const size_t count = qemu_plugin_tb_n_insns(translated);
    struct block *block = calloc(1, sizeof *block);
    struct rl_cycle_block *code = rl_cycle_block_new(model.core, (uint32_t)count);
    if (!block || !code) {
        abort();
    }
    block->code = code;
    block->next = blocks;
    blocks = block;
    for (size_t i = 0; i < count; i++) {
        add_instruction(block, qemu_plugin_tb_get_insn(translated, i));
    }
    qemu_plugin_register_vcpu_tb_exec_cb(translated, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void confine(void)
{
    const int error = rl_confine(file_bytes);
    if (error) {
        fprintf(stderr, "rl_count: cannot confine the emulator: %s\n", strerror(error));
        _exit(1);
    }
    confining = false;
}

// Registers what the marks tell. A call and a return make a mark a block of its own, whose caller's block is complete.
static void add_mark(struct qemu_plugin_tb *block, const char *symbol)
{
    if (strcmp(symbol, "rl_mark_begin") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else if (strcmp(symbol, "rl_mark_end") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else if (strcmp(symbol, "rl_mark_after") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_leave, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else if (strcmp(symbol, "rl_mark_number") == 0) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_number_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
            qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_number_store, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_W, NULL);
        }
    }
}

// Each block adds its length when it is entered, but for those of marks.
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    if (confining) {
        confine(); // all files are open by now, and nothing has been executed
    }
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    if (symbol && strncmp(symbol, "rl_mark_", strlen("rl_mark_")) == 0) {
        add_mark(block, symbol);
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                             qemu_plugin_tb_n_insns(block));
    if (model.core != RL_CYCLES_CORES) {
        add_block(block);
    }
}

// Reads A-B as the addresses of a cache.
static bool read_range(const char *text, struct rl_flash_cache *cache)
{
    char *rest = NULL;
    cache->begin = strtoull(text, &rest, 0);
    cache->end = *rest == '-' ? strtoull(rest + 1, &rest, 0) : 0;
    return *rest == '\0' && cache->begin < cache->end;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *rest = NULL;
    *number = strtoull(text, &rest, 0);
    return rest != text && *rest == '\0' && *number >= least && *number <= most;
}

static bool read_lines(const char *text, struct rl_flash_cache *cache)
{
    uint64_t lines = 0;
    const bool valid = read_number(text, 0, RL_FLASH_LINES, &lines);
    cache->lines = valid ? (uint32_t)lines : 0;
    return valid;
}

// Options of the model; false if the value of `name` is wrong.
static bool read_model_option(const char *name, const char *value)
{
    enum { MOST_WAITS = 1000, MOST_LINE_BYTES = 4096 };
    uint64_t bytes = 0;
    if (strcmp(name, "model") == 0) {
        model.core = rl_cycle_core_named(value);
        return model.core != RL_CYCLES_CORES;
    }
    if (strcmp(name, "profile") == 0) {
        return read_number(value, 1, UINT32_MAX, &profiled);
    }
    if (strcmp(name, "detail") == 0) {
        return read_number(value, 0, 1, &is_detailed);
    }
    if (strcmp(name, "flash") == 0) {
        return read_number(value, 0, MOST_WAITS, &flash_waits);
    }
    if (strcmp(name, "code") == 0 || strcmp(name, "data") == 0) {
        return read_range(value, *name == 'c' ? &code_cache : &data_cache);
    }
    if (strcmp(name, "ilines") == 0 || strcmp(name, "dlines") == 0) {
        return read_lines(value, *name == 'i' ? &code_cache : &data_cache);
    }
    if (strcmp(name, "line") != 0 || !read_number(value, 1, MOST_LINE_BYTES, &bytes)) {
        return false;
    }
    code_cache.line_bytes = data_cache.line_bytes = (uint32_t)bytes;
    return true;
}

// `argument` is NAME=VALUE.
static bool read_option(const char *argument)
{
    char name[8] = "";
    const char *value = strchr(argument, '=');
    if (!value || (size_t)(value - argument) >= sizeof name) {
        return false;
    }
    memcpy(name, argument, (size_t)(value - argument));
    value++;
    if (strcmp(name, "out") == 0) {
        out = fopen(value, "w");
        return true;
    }
    if (strcmp(name, "confine") == 0) {
        confining = true;
        return read_number(value, 0, UINT64_MAX, &file_bytes);
    }
    return read_model_option(name, value);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int count, char **arguments)
{
    (void)info;
    for (int i = 0; i < count; i++) {
        if (!read_option(arguments[i])) {
            fprintf(stderr, "rl_count: '%s' is not an option, or its value is wrong; see count_plugin.c\n",
                    arguments[i]);
            return 1;
        }
    }
    if (!out) {
        fputs("rl_count: out=FILE is missing or cannot be written\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    return 0;
}
