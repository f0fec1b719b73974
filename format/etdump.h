// SPDX-License-Identifier: Apache-2.0
//
// Names and numbers of ETDump, ExecuTorch's format of profiles: a FlatBuffer with its size in front.
#ifndef RL_FORMAT_ETDUMP_H
#define RL_FORMAT_ETDUMP_H

#define RL_ETDUMP_IDENTIFIER "ED00"

// Field ids: RL_ETDUMP_<table>_<field>.
#define RL_ETDUMP_FIELD(table, field, id) RL_ETDUMP_##table##_##field = (id),
enum rl_etdump_field {
#include "format/etdump.def"
};
#undef RL_ETDUMP_FIELD

#endif
