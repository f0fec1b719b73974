// SPDX-License-Identifier: Apache-2.0
//
// What older versions of PyTorch wrote otherwise, and what is refused there: one change to a good file each.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "pt2_archive.h"

static const char changed_path[] = "read_versions_test.pt2";

#define PICKLE "data.pkl"

// One change to the pickle of the weights, of the storage or of the marks beside it.
struct pickle_change {
    const char *member;
    const char *bytes;
    size_t size;
    const char *replacement;
    size_t replacement_size;
    enum rl_status status;
    const char *message;
};

#define BYTES(text) text, sizeof(text) - 1

static void pickled_weights(void **state)
{
    (void)state;
    static const struct pickle_change changes[] = {
        {PICKLE, BYTES("K\x14K\x04\x85"), BYTES("K\x15K\x04\x85"), RL_ERROR_FORMAT,
         "'tail': needs more than the 96 bytes that are stored"},
        {PICKLE, BYTES("K\x14K\x04\x85"), BYTES("J\xff\xff\xff\xffK\x04\x85"), RL_ERROR_FORMAT,
         "'tail': its sizes, strides or offset are impossible"},
        {PICKLE, BYTES("K\x14K\x04\x85"), BYTES("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x04\x85"), RL_ERROR_FORMAT,
         "'tail': needs more than the 96 bytes that are stored"},
        {PICKLE, BYTES("K\x01K\x04\x85"), BYTES("K\x01\x8a\x08\0\0\0\0\0\0\0\x40\x85"), RL_ERROR_FORMAT,
         "'gaps': its sizes, strides or offset are impossible"},
        {PICKLE, BYTES("X\x04\0\0\0tail"), BYTES("X\x04\0\0\0tale"), RL_ERROR_FORMAT,
         "weight 'tail': not in the weights nor constants"},
        {PICKLE, BYTES("FloatStorage"), BYTES("IntStorage"), RL_ERROR_FORMAT, "weight 'tail': its type differs"},
        {PICKLE, BYTES("FloatStorage"), BYTES("ComplexFloatStorage"), RL_ERROR_UNSUPPORTED, "ComplexFloatStorage"},
        {PICKLE, BYTES("_rebuild_tensor_v2"), BYTES("_rebuild_sparse_tensor"), RL_ERROR_UNSUPPORTED,
         "a pickle with 'torch._utils _rebuild_sparse_tensor'; accepted: plain tensors"},
        {PICKLE, BYTES("_rebuild_tensor_v2"), BYTES("_rebuild_parameter"), RL_ERROR_FORMAT,
         "a parameter without its tensor"},
        {PICKLE, BYTES("\x80\x02}q\0("), BYTES("\x80\x02]q\0("), RL_ERROR_FORMAT, "items without a collection"},
        {PICKLE, BYTES("X\x04\0\0\0tailq\x01"), BYTES("X\x04\0\0\0tailq\x01NX\x01\0\0\0x"), RL_ERROR_UNSUPPORTED,
         "weight 'tail': is stored as a Python pickle (a tensor subclass)"},
        {PICKLE, BYTES("\x80\x02"), BYTES("\x80\x04"), RL_ERROR_UNSUPPORTED, "not a pickle of protocol 2"},
        {"byteorder", BYTES("little"), BYTES("big"), RL_ERROR_UNSUPPORTED, "its byte order is not 'little'"},
    };
    static const char weights[] = "data/weights/model.pt";
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct pickle_change *change = &changes[i];
        struct pt2_archive outer, inner;
        pt2_load(&outer, RL_FIXTURES "/versions/2.8.0/views.pt2");
        pt2_load_inner(&inner, &outer, weights);
        pt2_replace_bytes(&inner, change->member, change->bytes, change->size, change->replacement,
                          change->replacement_size);
        pt2_set_inner(&inner, &outer, weights);
        pt2_save(&outer, changed_path, false);
        pt2_free(&inner);
        pt2_free(&outer);
        pt2_expect_refused(changed_path, change->status, change->message);
    }
}

static void pickled_weights_without_a_part(void **state)
{
    (void)state;
    static const struct {
        const char *member, *inner_member, *message; // inner_member NULL: the whole member
    } cases[] = {{"data/weights/model.pt", PICKLE, "data/weights/model.pt: no member 'data.pkl'"},
                 {"data/weights/model.pt", "data/0", "archive/data/0' is missing"},
                 {"data/weights/model.pt", NULL, "model_weights_config.json' is missing"},
                 {"data/constants/model.pt", NULL, "weight 'constant': not in the weights nor constants"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt2_archive outer, inner;
        pt2_load(&outer, RL_FIXTURES "/versions/2.8.0/views.pt2");
        if (cases[i].inner_member) {
            pt2_load_inner(&inner, &outer, cases[i].member);
            pt2_remove(&inner, cases[i].inner_member);
            pt2_set_inner(&inner, &outer, cases[i].member);
            pt2_free(&inner);
        } else {
            pt2_remove(&outer, cases[i].member);
        }
        pt2_save(&outer, changed_path, false);
        pt2_free(&outer);
        pt2_expect_refused(changed_path, RL_ERROR_FORMAT, cases[i].message);
    }
}

static void files_of_pytorch_2_7(void **state)
{
    (void)state;
    static const char model[] = "serialized_exported_program.json";
    struct pt2_archive archive;
    pt2_load(&archive, RL_FIXTURES "/versions/2.7.1/views.pt2");
    pt2_replace(&archive, model, "\"major\": 8", "\"major\": 7");
    pt2_save(&archive, changed_path, false);
    pt2_expect_refused(changed_path, RL_ERROR_UNSUPPORTED, "accepted: version 8 (PyTorch 2.7 to 2.15");
    pt2_replace(&archive, model, "\"major\": 7", "\"major\": 8");
    pt2_remove(&archive, "serialized_state_dict.pt");
    pt2_save(&archive, changed_path, false);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "serialized_state_dict.pt' is missing");
    pt2_free(&archive);
}

// Names made for some nodes differ from those that the file gives others.
static void nodes_without_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *replacement;
        enum rl_status status;
        const char *message;
    } cases[] = {{"\"name\": \"linear\"}, {\"target\"", "\"n\": 1}, {\"target\"", RL_OK, NULL},
                 {"\"name\": \"linear\"}, {\"target\"", "\"name\": null}, {\"target\"", RL_OK, NULL},
                 {"\"name\": \"linear\"}, {\"target\"", "\"name\": \"add\"}, {\"target\"", RL_ERROR_FORMAT,
                  "'add': another node has this name"},
                 {"\"name\": \"linear\"}, {\"target\"", "\"name\": 1}, {\"target\"", RL_ERROR_FORMAT,
                  "node 0: expected a string 'name', found an integer"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt2_archive archive;
        pt2_load(&archive, RL_FIXTURES "/pt2/shared_storage.pt2");
        pt2_replace(&archive, "models/model.json", cases[i].text, cases[i].replacement);
        pt2_save(&archive, changed_path, false);
        pt2_free(&archive);
        if (cases[i].status == RL_OK) {
            pt2_expect_read(changed_path);
        } else {
            pt2_expect_refused(changed_path, cases[i].status, cases[i].message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pickled_weights),
        cmocka_unit_test(pickled_weights_without_a_part),
        cmocka_unit_test(files_of_pytorch_2_7),
        cmocka_unit_test(nodes_without_names),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(changed_path);
    return failures;
}
