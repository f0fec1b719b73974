// SPDX-License-Identifier: Apache-2.0
//
// Folders that are there whole or not at all.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/c/sources.h"
#include "compiler/support/file.h"

static enum rl_status fail(struct rl_context *context, const char *path, const char *action)
{
    return rl_fail(context, RL_ERROR_IO, "%s: cannot %s: %s", path, action, strerror(errno));
}

// Removes a folder and what is in it. Links are removed, not followed.
static void remove_tree(struct rl_arena *arena, const char *path)
{
    struct stat information;
    if (lstat(path, &information) != 0 || !S_ISDIR(information.st_mode)) {
        unlink(path);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));) {
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
            remove_tree(arena, rl_arena_format(arena, "%s/%s", path, item->d_name));
        }
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(path);
}

// Makes the folders that a file is in, below `root`.
static enum rl_status make_folders(struct rl_context *context, struct rl_arena *arena, const char *root,
                                   const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *folder = rl_arena_format(arena, "%s/%.*s", root, (int)(slash - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            return fail(context, folder, "make this folder");
        }
    }
    return RL_OK;
}

static enum rl_status write_files(struct rl_context *context, struct rl_arena *arena, const char *root,
                                  const struct rl_project_files *files)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < files->count && status == RL_OK; i++) {
        const struct rl_project_file *file = &files->items[i];
        status = make_folders(context, arena, root, file->path);
        if (status == RL_OK) {
            status = rl_file_write(context, rl_arena_format(arena, "%s/%s", root, file->path), file->data, file->bytes);
        }
    }
    return status;
}

static bool is_ours(struct rl_arena *arena, const char *path, const char *marker)
{
    char text[64] = "";
    FILE *file = fopen(rl_arena_format(arena, "%s/%s", path, marker), "rb");
    if (!file) {
        return false;
    }
    const bool is_read = fgets(text, sizeof text, file);
    fclose(file);
    return is_read && strstr(text, "Written by Rushlight");
}

// Puts the finished folder in the place of what is there.
static enum rl_status take_place(struct rl_context *context, struct rl_arena *arena, const char *path,
                                 const char *finished, bool replaces)
{
    const char *old = rl_arena_format(arena, "%s.old", finished);
    if (!replaces) {
        return rename(finished, path) == 0 ? RL_OK : fail(context, path, "put the new folder there");
    }
    if (rename(path, old) != 0) {
        return fail(context, path, "move the old folder away");
    }
    if (rename(finished, path) != 0) {
        const enum rl_status status = fail(context, path, "put the new folder there");
        (void)rename(old, path);
        return status;
    }
    remove_tree(arena, old);
    return RL_OK;
}

static bool is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return folder && count <= 2; // . and ..
}

enum rl_status rl_project_write(struct rl_context *context, struct rl_arena *arena, const char *path,
                                const struct rl_project_files *files, const char *marker, bool replaces)
{
    struct stat information;
    const bool exists = lstat(path, &information) == 0 && !is_empty_folder(path);
    if (exists && !replaces) {
        return rl_fail(context, RL_ERROR_IO, "%s: exists; --force replaces a folder that rushlight wrote", path);
    }
    if (exists && !is_ours(arena, path, marker)) {
        return rl_fail(context, RL_ERROR_IO, "%s: is not replaced: rushlight did not write it (no %s of its own in it)",
                       path, marker);
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    char *finished = rl_arena_format(arena, "%.*s.XXXXXX", (int)length, path);
    if (!mkdtemp(finished)) {
        return fail(context, finished, "make this folder");
    }
    const mode_t mask = umask(0);
    umask(mask);
    sigset_t waiting, before; // a signal meanwhile would leave a part
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGINT);
    sigaddset(&waiting, SIGTERM);
    sigaddset(&waiting, SIGHUP);
    sigprocmask(SIG_BLOCK, &waiting, &before);
    enum rl_status status = write_files(context, arena, finished, files);
    if (status == RL_OK && chmod(finished, 0777 & ~mask) != 0) {
        status = fail(context, finished, "set the rights of this folder");
    }
    if (status == RL_OK) {
        status = take_place(context, arena, path, finished, exists);
    }
    if (status != RL_OK) {
        remove_tree(arena, finished);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
