// SPDX-License-Identifier: Apache-2.0
//
// The functions of rushlight/operator.h on the values of ExecuTorch's runtime. Operators read their arguments through
// these functions alone, so they run here as they run in Rushlight's runtime, whose runtime/run/call.c and
// call_numbers.c are not built.
#include "rushlight_kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace et = executorch::runtime;
using executorch::aten::Tensor;

extern "C" bool rl_call_has_float64(const struct rl_call *call);

namespace
{

struct Call : rl_call {
    et::Span<et::EValue *> items;
};

et::EValue *item(const rl_call *call, uint32_t argument)
{
    const auto &items = static_cast<const Call *>(call)->items;
    return argument < items.size() ? items[argument] : nullptr;
}

void clear(rl_tensor *tensor)
{
    *tensor = rl_tensor{};
}

void view(rl_call *call, uint32_t argument, const Tensor &from, rl_tensor *tensor)
{
    clear(tensor);
    if (from.dim() > RL_TENSOR_MAX_RANK) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a tensor has more dimensions than the operator takes");
        return;
    }
    tensor->sizes = from.sizes().data();
    tensor->dim_order = from.dim_order().data();
    tensor->rank = static_cast<uint8_t>(from.dim());
    tensor->dtype = static_cast<uint8_t>(from.scalar_type());
    tensor->bytes = static_cast<uint32_t>(from.nbytes());
    tensor->data = const_cast<void *>(from.const_data_ptr());
    if (!tensor->data && tensor->bytes > 0) {
        rl_call_refuse(call, argument, RL_ERROR_MEMORY, "a tensor has no memory");
    }
}

void refuse(rl_call *call, uint32_t argument, const char *message)
{
    rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
}

// The tensors of a list; what is no list has none.
size_t list_size(const et::EValue *list)
{
    if (list && list->isTensorList()) {
        return list->toTensorList().size();
    }
    return list && list->isListOptionalTensor() ? list->toListOptionalTensor().size() : 0;
}

bool is_list(const et::EValue *list)
{
    return list && (list->isTensorList() || list->isListOptionalTensor());
}

// An item of a list, or NULL for None.
const Tensor *list_item(const et::EValue *list, uint32_t index)
{
    if (list->isTensorList()) {
        return &list->toTensorList()[index];
    }
    const auto &optional = list->toListOptionalTensor()[index];
    return optional ? &*optional : nullptr;
}

et::Error error_of(rl_status status)
{
    switch (status) {
    case RL_OK:
        return et::Error::Ok;
    case RL_ERROR_MEMORY:
        return et::Error::MemoryAllocationFailed;
    case RL_ERROR_UNSUPPORTED:
        return et::Error::NotSupported;
    default:
        return et::Error::InvalidArgument;
    }
}

void resize(rl_call *call, uint32_t argument, Tensor tensor, rl_tensor *seen, uint32_t rank, const int32_t *sizes)
{
    if (call->status != RL_OK) {
        return;
    }
    const executorch::aten::ArrayRef<executorch::aten::SizesType> wanted(sizes, rank);
    if (et::resize_tensor(tensor, wanted) != et::Error::Ok) {
        refuse(call, argument, "the output has other sizes than the result");
        return;
    }
    view(call, argument, tensor, seen);
    call->empty = seen->bytes == 0;
}

template <typename Number> void set_number(rl_call *call, uint32_t argument, Number number)
{
    if (et::EValue *value = item(call, argument)) {
        *value = et::EValue(number);
        return;
    }
    refuse(call, argument, "an operator changes a value of another kind");
}

} // namespace

namespace rushlight
{

const char *name_of(const rl_kernel &kernel)
{
    static const char *const without_overload[] = {"aten::_local_scalar_dense", "aten::copy_", "aten::index_put_",
                                                   "aten::sym_numel"};
    for (const char *name : without_overload) {
        const size_t length = std::strlen(name);
        if (kernel.name_length == length + 1 && std::memcmp(kernel.name, name, length) == 0) {
            return name;
        }
    }
    return kernel.name;
}

void run(const rl_kernel &kernel, et::KernelRuntimeContext &context, et::Span<et::EValue *> arguments)
{
    rl_method method{};
    Call call{};
    call.method = &method;
    call.kernel = &kernel;
    call.argument_count = static_cast<uint32_t>(arguments.size());
    call.items = arguments;
    method.error.message = "";
    if (arguments.size() != kernel.argument_count) {
        refuse(&call, 0, "an operator is called with another number of arguments");
    } else {
        call.status = kernel.run(&call);
    }
    if (call.status != RL_OK) {
        ET_LOG(Error, "%s, argument %d: %s %s", kernel.name, static_cast<int>(method.error.argument),
               rl_status_text(call.status), method.error.message);
        context.fail(error_of(call.status));
    }
}

} // namespace rushlight

extern "C" {

enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message)
{
    if (call->status == RL_OK) {
        call->status = status;
        call->method->error.status = status;
        call->method->error.message = message ? message : "";
        call->method->error.argument = static_cast<int32_t>(argument);
    }
    return call->status;
}

enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (!value) {
        return RL_PTE_INVALID;
    }
    switch (value->tag) {
    case et::Tag::None:
        return RL_PTE_NULL;
    case et::Tag::Tensor:
        return RL_PTE_TENSOR;
    case et::Tag::Int:
        return RL_PTE_INT;
    case et::Tag::Double:
        return RL_PTE_DOUBLE;
    case et::Tag::Bool:
        return RL_PTE_BOOL;
    case et::Tag::String:
        return RL_PTE_STRING;
    case et::Tag::ListInt:
        return RL_PTE_INT_LIST;
    case et::Tag::ListDouble:
        return RL_PTE_DOUBLE_LIST;
    case et::Tag::ListBool:
        return RL_PTE_BOOL_LIST;
    case et::Tag::ListTensor:
        return RL_PTE_TENSOR_LIST;
    case et::Tag::ListOptionalTensor:
        return RL_PTE_OPTIONAL_TENSOR_LIST;
    default:
        return RL_PTE_INVALID;
    }
}

int32_t rl_call_value(const struct rl_call *call, uint32_t argument)
{
    return argument < call->argument_count ? static_cast<int32_t>(argument) : -1;
}

bool rl_call_has_float64(const struct rl_call *call)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const et::EValue *value = item(call, i);
        if (value && value->isTensor() && value->toTensor().scalar_type() == executorch::aten::ScalarType::Double) {
            return true;
        }
        for (uint32_t j = 0; j < list_size(value); j++) {
            const Tensor *tensor = list_item(value, j);
            if (tensor && tensor->scalar_type() == executorch::aten::ScalarType::Double) {
                return true;
            }
        }
    }
    return false;
}

// ---- tensors

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isTensor()) {
        view(call, argument, value->toTensor(), tensor);
    } else {
        clear(tensor);
        refuse(call, argument, "a tensor was expected here");
    }
}

bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isNone()) {
        clear(tensor);
        return false;
    }
    rl_call_tensor(call, argument, tensor);
    return call->status == RL_OK;
}

void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    rl_call_tensor(call, argument, tensor);
    call->empty = tensor->bytes == 0;
}

uint32_t rl_call_list(struct rl_call *call, uint32_t argument)
{
    const et::EValue *list = item(call, argument);
    if (!is_list(list)) {
        refuse(call, argument, "a list of tensors was expected here");
    }
    return static_cast<uint32_t>(list_size(list));
}

bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    const et::EValue *list = item(call, argument);
    clear(tensor);
    if (index >= list_size(list)) {
        refuse(call, argument, "a list has fewer tensors than the operator needs");
        return false;
    }
    const Tensor *from = list_item(list, index);
    if (from) {
        view(call, argument, *from, tensor);
    }
    return from && call->status == RL_OK;
}

void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    if (!rl_call_list_optional_tensor(call, argument, index, tensor)) {
        refuse(call, argument, "a tensor was expected here");
    }
}

void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    rl_call_list_tensor(call, argument, index, tensor);
}

void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isTensor()) {
        resize(call, argument, value->toTensor(), tensor, rank, sizes);
    }
}

void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes)
{
    const et::EValue *list = item(call, argument);
    const Tensor *of_list = index < list_size(list) ? list_item(list, index) : nullptr;
    if (of_list) {
        resize(call, argument, *of_list, tensor, rank, sizes);
    }
}

// ExecuTorch's programs give each output memory of its own: the result is copied, as without aliases.
void rl_call_alias(struct rl_call *, uint32_t, uint32_t)
{
}

// ---- numbers and strings

int64_t rl_call_int(struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isInt()) {
        return value->toInt();
    }
    refuse(call, argument, "an int was expected here");
    return 0;
}

int32_t rl_call_bounded(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest)
{
    const int64_t number = rl_call_int(call, argument);
    if (number >= lowest && number <= highest) {
        return static_cast<int32_t>(number);
    }
    refuse(call, argument, "an int is outside the range of the operator");
    return lowest;
}

int32_t rl_call_int32(struct rl_call *call, uint32_t argument)
{
    const int64_t number = rl_call_int(call, argument);
    if (number == static_cast<int32_t>(number)) {
        return static_cast<int32_t>(number);
    }
    refuse(call, argument, "an int does not fit 32 bits");
    return 0;
}

bool rl_call_bool(struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isBool()) {
        return value->toBool();
    }
    refuse(call, argument, "a bool was expected here");
    return false;
}

double rl_call_double(struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isDouble()) {
        return value->toDouble();
    }
    if (value && value->isInt()) {
        return rl_call_int32(call, argument);
    }
    refuse(call, argument, "a float was expected here");
    return 0;
}

float rl_call_positive_float(struct rl_call *call, uint32_t argument)
{
    const float number = static_cast<float>(rl_call_double(call, argument));
    if (number >= std::numeric_limits<float>::min() && number <= std::numeric_limits<float>::max()) {
        return number;
    }
    refuse(call, argument, "a float above 0 was expected here");
    return 1;
}

double rl_call_number(struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isBool()) {
        return value->toBool();
    }
    if (value && value->isInt()) {
        return static_cast<double>(value->toInt());
    }
    return rl_call_double(call, argument);
}

const char *rl_call_string(struct rl_call *call, uint32_t argument)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isString()) {
        return value->toString().data();
    }
    refuse(call, argument, "a string was expected here");
    return "";
}

uint32_t rl_call_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity,
                              int32_t lowest, int32_t highest)
{
    const et::EValue *value = item(call, argument);
    const int32_t missing = lowest > 0 ? lowest : std::min<int32_t>(highest, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < capacity; i++) {
        items[i] = missing;
    }
    if (value && value->isInt()) {
        if (capacity > 0) {
            items[count++] = rl_call_bounded(call, argument, lowest, highest);
        }
        return count;
    }
    if (!value || !value->isIntList()) {
        if (!value || !value->isNone()) {
            refuse(call, argument, "a list of ints was expected here");
        }
        return 0;
    }
    const auto list = value->toIntList();
    if (list.size() > capacity) {
        refuse(call, argument, "a list has more items than the operator takes");
        return 0;
    }
    for (; count < list.size(); count++) {
        if (list[count] >= lowest && list[count] <= highest) {
            items[count] = static_cast<int32_t>(list[count]);
        } else {
            refuse(call, argument, "an int is outside the range of the operator");
        }
    }
    return count;
}

uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity)
{
    return rl_call_bounded_ints(call, argument, items, capacity, INT32_MIN, INT32_MAX);
}

uint32_t rl_call_doubles(struct rl_call *call, uint32_t argument, double *items, uint32_t capacity)
{
    const et::EValue *value = item(call, argument);
    if (value && value->isNone()) {
        return 0;
    }
    if (!value || !value->isDoubleList() || value->toDoubleList().size() > capacity) {
        refuse(call, argument, "a list of floats was expected here");
        return 0;
    }
    const auto list = value->toDoubleList();
    std::memcpy(items, list.data(), list.size() * sizeof *items);
    return static_cast<uint32_t>(list.size());
}

void rl_call_set_int(struct rl_call *call, uint32_t argument, int64_t number)
{
    set_number(call, argument, number);
}

void rl_call_set_bool(struct rl_call *call, uint32_t argument, bool number)
{
    set_number(call, argument, number);
}

void rl_call_set_double(struct rl_call *call, uint32_t argument, double number)
{
    set_number(call, argument, number);
}

// ExecuTorch has no memory in which an operator could keep what it prepared.
const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t)
{
    return rl_call_ready(call) && !call->empty ? made : nullptr;
}

} // extern "C"
