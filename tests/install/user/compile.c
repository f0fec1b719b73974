// SPDX-License-Identifier: Apache-2.0
//
// Compiles a model with the library: compile MODEL.pt2 DATA.npz TARGET, the program on the standard output.
#include <rushlight/compiler.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    size_t size = 0;
    struct rl_job *job = argc == 4 ? rl_job_new("compile") : NULL;

    if (!job) {
        return 1;
    }
    rl_job_operand(job, argv[1]);
    rl_job_option(job, "calibrate", argv[2]);
    rl_job_option(job, "target", argv[3]);
    rl_job_option(job, "output", "model.pte");
    rl_job_keep(job, "model.pte");
    const enum rl_job_status status = rl_job_run(job);
    const void *program = rl_job_kept(job, "model.pte", &size);
    if (status != RL_JOB_DONE) {
        fprintf(stderr, "%s\n", rl_job_message(job));
    }
    const int written = program && fwrite(program, 1, size, stdout) == size;
    rl_job_free(job);
    return written ? 0 : 1;
}
