// SPDX-License-Identifier: Apache-2.0
//
// The line that the runner prints when it ends by itself, and that the host reads:
//
//     runner: status=0 samples=16 arena=20480 state=212 stack=1312 message=done
//
// status is an enum rl_status, samples the number that were run. arena (planned buffers), state (the runtime's own
// memory) and stack (deepest) are bytes. The message takes the rest of the line. The exit status is 0 if status is 0,
// otherwise 1.
#ifndef RL_BOARDS_REPORT_H
#define RL_BOARDS_REPORT_H

#define RL_REPORT_START   "runner: "
#define RL_REPORT_STATUS  "status="
#define RL_REPORT_SAMPLES " samples="
#define RL_REPORT_ARENA   " arena="
#define RL_REPORT_STATE   " state="
#define RL_REPORT_STACK   " stack="
#define RL_REPORT_MESSAGE " message="

#endif
