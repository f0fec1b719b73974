// SPDX-License-Identifier: Apache-2.0
//
// The one line the runner prints when it ends by itself, read by the host:
//
//     runner: status=0 samples=16 arena=20480 state=212 stack=1312 message=done
//
// status is an enum rl_status, samples how many were run; arena (planned buffers), state (the runtime's own memory) and
// stack (deepest) are bytes; the message takes the rest of the line. The exit status is 0 when status is 0, otherwise
// 1.
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
