# SPDX-License-Identifier: Apache-2.0
# Puts into copies of format/proved.h and runtime/run/view.c, for views.c, what holds at each turn of a loop, and steps
# of the proof.
/const uint8_t \*vtable = table - /a\
    //@ assert vtable == vtable(table);
/uint32_t offset = rl_proved_u16/a\
    //@ assert offset == entry(table, id);
/for (uint32_t list = 0; list < 2; list++)/i\
    /*@ loop invariant 0 <= list <= 2;\
        loop invariant bound == method->bound + (list > 0 ? method->plan.inputs.count : 0) +\
          (list > 1 ? method->plan.outputs.count : 0);\
        loop assigns list, bound; */
/for (uint32_t i = 0; i < lists\[list\]->count; i++, bound++)/i\
    /*@ loop invariant 0 <= i <= lists[list]->count;\
        loop invariant bound == method->bound + (list > 0 ? method->plan.inputs.count : 0) + i;\
        loop assigns i, bound; */
/if (rl_proved_item(&method->program->pte, lists/i\
            //@ assert vector(lists[list]);\
            //@ assert word(file + lists[list]->items + 4 * i);
/return \*bound;/i\
                //@ assert *bound == bound(bound - method->bound);
/for (uint32_t i = rank; i-- > 0;)/i\
    //@ assert counted(sizes, rank, element_of(table));\
    /*@ loop invariant 0 <= i <= rank;\
        loop invariant bytes == product(sizes, i, rank, element_of(table));\
        loop assigns i, bytes; */
/bytes \*= rl_proved_u32/i\
        //@ assert 0 <= i < rank <= 8 && 4 * i <= 32;\
        //@ assert given(sizes, 4 * rank);\
        //@ assert given(sizes + 4 * i, 4);\
        //@ assert aligned(sizes, 4) && address(sizes + 4 * i) == address(sizes) + 4 * i;\
        //@ assert word(sizes + 4 * i);\
        //@ assert bytes == product(sizes, i + 1, rank, element_of(table));\
        //@ assert u32(sizes + 4 * i) * bytes == product(sizes, i, rank, element_of(table));\
        //@ assert (uint32_t)(4 * i) == 4 * i;\
        //@ assert (uint32_t)(bytes * u32(sizes + (uint32_t)(4 * i))) == product(sizes, i, rank, element_of(table));
/tensor->sizes = /i\
    //@ assert rank > 0 ==> sizes == sizes_now(method, value, table);\
    //@ assert bytes == bytes_now(method, value, table);\
    //@ assert bytes <= largest(table);
/tensor->sizes = \|tensor->dim_order = /a\
    //@ assert method->buffers == \\at(method->buffers, Pre) && method->bound == \\at(method->bound, Pre);\
    //@ assert buffers(method);\
    //@ assert ends(method);
/tensor->constant = false;/a\
    //@ assert program(&method->program->pte) && attached(method) && lists(method);\
    //@ assert buffers(method) && ends(method) && slots(method);
/if (pte->constants_inline)/i\
    //@ assert pte->fb.data + pte->constants.items + 4 * index == item(pte->constants.items, index, 4);\
    //@ assert pte->fb.data + pte->constants.items + 8 * index == item(pte->constants.items, index, 8);
/tensor->data = (void \*)(uintptr_t)constant_data/i\
        //@ assert program(&method->program->pte);\
        //@ assert constant_of_pte(&method->program->pte, constant, largest(table));
/tensor->data = bound_data/i\
    //@ assert program(&method->program->pte) && attached(method) && lists(method);\
    //@ assert buffers(method);\
    //@ assert ends(method);\
    //@ assert slots(method);
/rl_proved_value(values + 4 \* (size_t)source, &table);/{
i\
    //@ assert is_source(source);\
    //@ assert values == file + values_at;\
    //@ assert values + 4 * source == item(values_at, source, 4);
a\
    //@ assert table == other(source) && method(method) && tensor(table);
}
# The one function that this pointer may have.
s/method->flow->find(/rl_find_external(/
/sizes = (const uint8_t \*)method->slots/a\
        //@ assert sizes == sizes_now(method, value, table);\
        //@ assert counted(sizes, rank, element_of(table));\
        //@ assert product(sizes, 0, rank, element_of(table)) <= largest(table);
/if (method->slots && rl_own_sizes/i\
    //@ assert slots(method);\
    //@ assert method->slots != \\null ==> \\valid_read(method->slots + value);\
    //@ assert rank > 0 ==> sizes == sizes_of(table);\
    //@ assert counted(sizes, rank, element_of(table));\
    //@ assert product(sizes, 0, rank, element_of(table)) == largest(table);
s/return \(RL_STORAGE_[A-Z]*\);/\/\/@ assert lies(table, \1, tensor->data, largest(table));\n&/
/return place;/i\
    //@ assert lies(table, place, tensor->data, largest(table)) || tensor->data == \\null;\
    //@ assert tensor->data == \\null || tensor->bytes <= largest(table);\
    //@ assert tensor->data == \\null || lies(table, place, tensor->data, tensor->bytes);
