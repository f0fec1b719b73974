// SPDX-License-Identifier: Apache-2.0
//
// The runner: executes any program on any batch of samples. Both come on the standard input, and the results leave on
// the standard output (batch.h): it opens no files.
//
//     rushlight_runner METHOD SEQUENCE [MARKED]
//
// METHOD is the number of a method, from 0. A program with state starts again with its first state after SEQUENCE
// samples; 0 means never. From sample MARKED on the counter is told where each operator begins and ends; without it,
// never. The program lies in the board's pool, with the planned buffers behind it; samples are read
// one at a time. Ends with the line of report.h.
#include "batch.h"
#include "board.h"
#include "mark.h"
#include "marks.h"
#include "report.h"
#include "semihosting.h"
#include "stack.h"

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pool {
    uint8_t *next;
    size_t left;
};

struct runner {
    struct pool pool;
    struct rl_program program;
    struct rl_method method;
    struct rl_requirements needs;
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    struct rl_error error;
    uint32_t input_bytes, output_bytes; // of one sample
    void *staging;                      // one input or output in logical order
    uint32_t staging_bytes;
    uint32_t sequence;     // samples until the state is reset; 0: it never is
    uint32_t marked;       // the first sample whose operators are marked
    uint32_t stack_peak;   // before that; marks paint the stack anew
    uint32_t samples;      // finished
    int32_t input, output; // the host's, not those of the program
};

// NULL when the pool is used up.
static void *allocate(struct pool *pool, size_t bytes)
{
    const size_t rounded = (bytes + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
    if (rounded < bytes || rounded > pool->left) {
        return NULL;
    }
    void *block = pool->next;
    pool->next += rounded;
    pool->left -= rounded;
    return block;
}

static enum rl_status refuse(struct runner *runner, enum rl_status status, const char *message)
{
    runner->error =
        (struct rl_error){.status = status, .message = message, .instruction = -1, .argument = -1, .value = -1};
    return status;
}

// Keeps the reason why a function of the method failed.
static enum rl_status fail_in_method(struct runner *runner, enum rl_status status)
{
    runner->error = runner->method.error;
    return status;
}

// Reads a file from the input. `*bytes` is 0 if there is none.
static enum rl_status load_file(struct runner *runner, void **data, size_t *bytes)
{
    uint8_t length[4];
    if (rl_semihosting_read(runner->input, length, sizeof length) != 0) {
        return refuse(runner, RL_ERROR_IO, "the input ends early");
    }
    *bytes = rl_batch_load_u32(length);
    *data = allocate(&runner->pool, *bytes);
    if (!*data) {
        return refuse(runner, RL_ERROR_MEMORY, "the program is larger than the memory of this board");
    }
    if (*bytes > 0 && rl_semihosting_read(runner->input, *data, *bytes) != 0) {
        return refuse(runner, RL_ERROR_IO, "the input ends early");
    }
    return RL_OK;
}

static enum rl_status load_program(struct runner *runner)
{
    void *file;
    size_t bytes;
    enum rl_status status = load_file(runner, &file, &bytes);
    if (!status) {
        status = rl_program_open(&runner->program, file, bytes, &runner->error);
    }
    if (!status) {
        status = load_file(runner, &file, &bytes);
    }
    if (!status && bytes > 0) {
        status = rl_program_attach(&runner->program, file, bytes, &runner->error);
    }
    return status ? status : rl_program_verify(&runner->program, &rl_registry_all, &runner->error);
}

// The bytes of a method's state, with what operators may keep for later runs, as in a firmware, where that takes a
// small part of the memory that is left. Inputs and outputs need the rest.
static size_t state_bytes_of(const struct runner *runner)
{
    enum { SMALL_PART = 8 };
    const struct rl_requirements *needs = &runner->needs;
    const size_t kept = needs->kept_bytes <= runner->pool.left / SMALL_PART ? needs->kept_bytes : 0;
    return (size_t)needs->state_bytes + kept;
}

static enum rl_status prepare_method(struct runner *runner, uint32_t method)
{
    struct rl_requirements *needs = &runner->needs;
    const enum rl_status status = rl_method_requirements(&runner->program, method, needs, &runner->error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < needs->buffer_count; i++) {
        runner->buffers[i].bytes = needs->buffer_bytes[i];
        runner->buffers[i].data = allocate(&runner->pool, needs->buffer_bytes[i]);
        if (!runner->buffers[i].data) {
            return refuse(runner, RL_ERROR_MEMORY, "the arena is larger than the memory of this board");
        }
    }
    const size_t state_bytes = state_bytes_of(runner);
    void *state = allocate(&runner->pool, state_bytes);
    if (!state) {
        return refuse(runner, RL_ERROR_MEMORY, "the runtime's state is larger than the memory of this board");
    }
    return rl_method_init(&runner->method, &runner->program, method, &rl_registry_all, runner->buffers,
                          needs->buffer_count, state, state_bytes, &runner->error);
}

static uint32_t parse_number(const char *digits)
{
    uint32_t number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        number = 10 * number + (uint32_t)(*digits - '0');
    }
    return number;
}

typedef enum rl_status get_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes);
typedef enum rl_status bind_tensor(struct rl_method *method, uint32_t index, void *data, size_t bytes);

// Outputs that are numbers of the program are given as tensors, too, with the bytes of the largest kind, because the
// kind of a number may be known only when it has been computed.
static enum rl_status output_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes)
{
    *changes = false;
    const enum rl_status status = rl_method_output_bound(method, index, tensor, changes);
    if (status != RL_ERROR_TYPE) {
        return status;
    }
    const enum rl_status found = rl_method_output_value(method, index, tensor);
    if (!found && tensor->rank == 0) {
        tensor->bytes = sizeof(int64_t);
    }
    return found;
}

// Numbers among the inputs belong to the program.
static enum rl_status input_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes)
{
    *changes = false;
    const enum rl_status status = rl_method_input_bound(method, index, tensor, changes);
    return status == RL_ERROR_TYPE ? RL_OK : status;
}

// Gives memory to tensors that the program did not plan, and adds up the bytes of all.
static enum rl_status prepare_tensors(struct runner *runner, uint32_t count, get_bound *get, bind_tensor *bind,
                                      uint32_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct rl_tensor tensor;
        bool changes;
        enum rl_status status = get(&runner->method, i, &tensor, &changes);
        if (status) {
            return fail_in_method(runner, status);
        }
        if (!tensor.data && tensor.bytes > 0) {
            void *data = allocate(&runner->pool, tensor.bytes);
            if (!data) {
                return refuse(runner, RL_ERROR_MEMORY, "inputs and outputs do not fit into the memory of this board");
            }
            status = bind(&runner->method, i, data, tensor.bytes);
            if (status) {
                return fail_in_method(runner, status);
            }
        }
        const uint32_t bytes = tensor.bytes + (changes ? 4u * tensor.rank : 0);
        if (bytes > UINT32_MAX - *total) {
            return refuse(runner, RL_ERROR_MEMORY, "inputs or outputs of more than 4 GiB");
        }
        *total += bytes;
        if (tensor.bytes > runner->staging_bytes) {
            runner->staging_bytes = tensor.bytes;
        }
    }
    return RL_OK;
}

static enum rl_status read_sizes(struct runner *runner, uint32_t index, uint32_t rank)
{
    int32_t sizes[RL_TENSOR_MAX_RANK];
    if (rl_semihosting_read(runner->input, sizes, rank * sizeof *sizes) != 0) {
        return refuse(runner, RL_ERROR_IO, "the input ends early");
    }
    const enum rl_status status = rl_method_resize_input(&runner->method, index, rank, sizes);
    return status ? fail_in_method(runner, status) : RL_OK;
}

static enum rl_status read_inputs(struct runner *runner)
{
    for (uint32_t i = 0; i < rl_method_input_count(&runner->method); i++) {
        struct rl_tensor tensor, bound;
        bool changes;
        enum rl_status status = input_bound(&runner->method, i, &bound, &changes);
        if (status) {
            return fail_in_method(runner, status);
        }
        if (bound.bytes == 0 && !changes) {
            continue;
        }
        if (changes) {
            status = read_sizes(runner, i, bound.rank);
        }
        if (status) {
            return status;
        }
        rl_method_input(&runner->method, i, &tensor);
        if (rl_semihosting_read(runner->input, runner->staging, bound.bytes) != 0) {
            return refuse(runner, RL_ERROR_IO, "the input ends early");
        }
        status = rl_tensor_from_logical(&tensor, runner->staging, tensor.bytes);
        if (status) {
            return refuse(runner, status, "an input cannot be set");
        }
    }
    return RL_OK;
}

static enum rl_status write_outputs(struct runner *runner)
{
    for (uint32_t i = 0; i < rl_method_output_count(&runner->method); i++) {
        struct rl_tensor tensor, bound;
        bool changes;
        enum rl_status status = output_bound(&runner->method, i, &bound, &changes);
        if (!status) {
            status = rl_method_output_value(&runner->method, i, &tensor);
        }
        if (status) {
            return fail_in_method(runner, status);
        }
        if (tensor.bytes > bound.bytes || tensor.rank != bound.rank) {
            return refuse(runner, RL_ERROR_TYPE, "an output has become larger than its tensor in the file");
        }
        memset(runner->staging, 0, bound.bytes);
        status = rl_tensor_to_logical(&tensor, runner->staging, tensor.bytes);
        if (status) {
            return refuse(runner, status, "an output cannot be read");
        }
        if ((changes && rl_semihosting_write(runner->output, tensor.sizes, 4u * tensor.rank) != 0) ||
            rl_semihosting_write(runner->output, runner->staging, bound.bytes) != 0) {
            return refuse(runner, RL_ERROR_IO, "the output cannot be written");
        }
    }
    return RL_OK;
}

static enum rl_status start_sample(struct runner *runner)
{
    if (runner->sequence == 0 || runner->samples == 0 || runner->samples % runner->sequence != 0) {
        return RL_OK;
    }
    const enum rl_status status = rl_method_reset(&runner->method);
    return status ? fail_in_method(runner, status) : RL_OK;
}

static enum rl_status run_samples(struct runner *runner, uint32_t samples)
{
    for (runner->samples = 0; runner->samples < samples; runner->samples++) {
        enum rl_status status = start_sample(runner);
        if (!status) {
            status = read_inputs(runner);
        }
        if (status) {
            return status;
        }
        if (runner->samples == runner->marked) {
            runner->stack_peak = (uint32_t)rl_board_stack_peak();
            rl_runner_mark_operators(&runner->method, rl_stack_pointer());
        }
        rl_mark_begin();
        status = rl_method_execute(&runner->method);
        rl_mark_end();
        if (status) {
            return fail_in_method(runner, status);
        }
        status = write_outputs(runner);
        if (status) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status prepare_samples(struct runner *runner)
{
    struct rl_method *method = &runner->method;
    enum rl_status status =
        prepare_tensors(runner, rl_method_input_count(method), input_bound, rl_method_bind_input, &runner->input_bytes);
    if (!status) {
        status = prepare_tensors(runner, rl_method_output_count(method), output_bound, rl_method_bind_output,
                                 &runner->output_bytes);
    }
    if (status) {
        return status;
    }
    runner->staging = allocate(&runner->pool, runner->staging_bytes);
    if (!runner->staging) {
        return refuse(runner, RL_ERROR_MEMORY, "inputs and outputs do not fit into the memory of this board");
    }
    return RL_OK;
}

static enum rl_status run_batch(struct runner *runner)
{
    uint8_t bytes[RL_BATCH_HEADER_BYTES];
    struct rl_batch_header header;
    if (rl_semihosting_read(runner->input, bytes, sizeof bytes) != 0 || !rl_batch_decode_header(bytes, &header)) {
        return refuse(runner, RL_ERROR_IO, "the input has no batch of samples");
    }
    if (header.sample_bytes != runner->input_bytes) {
        return refuse(runner, RL_ERROR_ARGUMENT, "the inputs have another size than those of the program");
    }
    header.sample_bytes = runner->output_bytes;
    rl_batch_encode_header(bytes, header);
    if (rl_semihosting_write(runner->output, bytes, sizeof bytes) != 0) {
        return refuse(runner, RL_ERROR_IO, "the output cannot be written");
    }
    return run_samples(runner, header.samples);
}

static void print_field(const char *name, uint32_t value)
{
    rl_board_print(name);
    rl_board_print_number(value);
}

static void print_place(const char *name, int32_t index)
{
    if (index >= 0) {
        print_field(name, (uint32_t)index);
    }
}

static void print_error(const struct rl_error *error)
{
    rl_board_print(rl_status_text(error->status));
    if (error->message && error->message[0] != '\0') {
        rl_board_print(": ");
        rl_board_print(error->message);
    }
    if (error->operator_name) {
        rl_board_print(", operator ");
        rl_board_print(error->operator_name);
    }
    print_place(", instruction ", error->instruction);
    print_place(", argument ", error->argument);
    print_place(", value ", error->value);
    if (error->offset > 0) {
        print_field(", at byte ", error->offset);
    }
}

static void print_report(const struct runner *runner, enum rl_status status)
{
    const uint32_t peak = (uint32_t)rl_board_stack_peak();
    uint32_t arena = 0;
    for (uint32_t i = 0; i < runner->needs.buffer_count && i < RL_MAX_BUFFERS; i++) {
        arena += runner->needs.buffer_bytes[i];
    }
    rl_board_print(RL_REPORT_START);
    print_field(RL_REPORT_STATUS, (uint32_t)status);
    print_field(RL_REPORT_SAMPLES, runner->samples);
    print_field(RL_REPORT_ARENA, arena);
    print_field(RL_REPORT_STATE, runner->needs.state_bytes);
    print_field(RL_REPORT_STACK, peak > runner->stack_peak ? peak : runner->stack_peak);
    rl_board_print(RL_REPORT_MESSAGE);
    if (status) {
        print_error(&runner->error);
    } else {
        rl_board_print("done");
    }
    rl_board_print("\n");
}

int main(int argc, char **argv)
{
    static struct runner runner;
    runner.pool.next = rl_board_pool(&runner.pool.left);
    enum rl_status status = RL_OK;
    runner.input = rl_semihosting_open(":tt", RL_SEMIHOSTING_READ);
    runner.output = rl_semihosting_open(":tt", RL_SEMIHOSTING_WRITE);
    if (argc != 3 && argc != 4) {
        status = refuse(&runner, RL_ERROR_ARGUMENT, "usage: rushlight_runner METHOD SEQUENCE [MARKED]");
    }
    if (!status) {
        status = load_program(&runner);
    }
    if (!status) {
        runner.sequence = parse_number(argv[2]);
        runner.marked = argc == 4 ? parse_number(argv[3]) : UINT32_MAX;
        status = prepare_method(&runner, parse_number(argv[1]));
    }
    if (!status) {
        status = prepare_samples(&runner);
    }
    if (!status) {
        status = run_batch(&runner);
    }
    print_report(&runner, status);
    return status ? 1 : 0;
}
