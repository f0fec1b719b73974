// SPDX-License-Identifier: Apache-2.0
//
// usage: fuzz_TARGET_replay FOLDER...
// Gives every file of the folders to a fuzz target, in the order of their names: the kept corpus and inputs that once
// failed, without a fuzzer and with any compiler.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size > 0 ? size : 1);
    rewind(file);
    int failed = !data || fread(data, 1, size, file) != size;
    fclose(file);
    if (!failed) {
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    return failed;
}

// Number of files, or -1.
static int replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), files = 0, failed = 0;

    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            failed |= replay_file(path);
            files++;
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return count < 0 || failed ? -1 : files;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int files = replay_folder(argv[i]);
        if (files <= 0) {
            fprintf(stderr, "%s: no files, or one that cannot be read\n", argv[i]);
            return 1;
        }
        printf("%s: %d files\n", argv[i], files);
    }
    return argc > 1 ? 0 : 1;
}
