// SPDX-License-Identifier: Apache-2.0
//
// The data that the stages of quantization pass on: points, the specification of each, and observers.
//
// A point is a place where a value may be quantized: where it is made (a graph input or a node's result) or where it is
// used (by one node, or by the graph's outputs). PT2E calls them nodes and edges. Points that share one grid have the
// same observer.
#ifndef RL_COMPILER_QUANTIZE_ANNOTATION_H
#define RL_COMPILER_QUANTIZE_ANNOTATION_H

#include "compiler/quantize/histogram.h"
#include "compiler/quantize/qparams.h"
#include "compiler/quantize/quantize.h"

enum rl_spec {
    RL_SPEC_NONE,              // stays in floating point
    RL_SPEC_ACTIVATION,        // int8, affine, range from what it takes on the samples
    RL_SPEC_WEIGHT,            // int8, symmetric, one range from the smallest and largest value
    RL_SPEC_CHANNEL_WEIGHT,    // int8, symmetric, one such range for each output channel (dimension 0)
    RL_SPEC_TRANSPOSED_WEIGHT, // the same, of a transposed convolution (dimension 1)
    RL_SPEC_BIAS,              // int32, scale of the input times scale of the weight, by channel where the weight's is
    RL_SPEC_SOFTMAX,           // int8, scale 1/256, zero point -128: the grid of the kernel's results
    RL_SPEC_PROBABILITY,       // int16, scale 1/32768, zero point 0: of a softmax of int16 that the caller gets
    RL_SPEC_HIDDEN,   // int8, symmetric, scale 1/128: a state within -1..1; a larger one if it leaves these, or a finer
    RL_SPEC_CELL,     // int16, symmetric, a power of two as scale, twice the range of the values
    RL_SPEC_RESULT,   // int16, symmetric, twice the range of the values: a layer's that the caller gets, or any value
                      // with a16w8
    RL_SPEC_SPECTRUM, // int16, symmetric, range from what it takes on the samples: around magnitudes
    RL_SPEC_SHARED    // the spec of another point
};

// Multiples of a step, from `lowest` (0 or less) to `highest` (0 or more).
struct rl_steps {
    double step; // 0: none
    int lowest, highest;
};

struct rl_observer {
    enum rl_spec spec;                        // never SHARED; NONE if calibration decided against it
    struct rl_histogram *histogram;           // ACTIVATION, HIDDEN, CELL, RESULT, SPECTRUM
    const struct rl_observer *input, *weight; // BIAS: the observers from which its scale is derived
    const struct rl_value *constant;          // WEIGHT, CHANNEL_WEIGHT, BIAS: the quantized constant
    struct rl_steps steps;                    // ACTIVATION: of which all values seen are multiples (steps.h)
    struct rl_qparams qparams;
    int channel_count;     // 0: one grid, `qparams`; otherwise one for each index of rl_observer_axis,
    float *channel_scales; // with these scales and zero point 0
    int8_t *integers;      // WEIGHT, CHANNEL_WEIGHT: chosen otherwise than as the nearest ones; NULL: not
};

enum rl_point_kind {
    RL_POINT_MADE, // by `node`, or a graph input where `node` is NULL
    RL_POINT_USED, // by `node`
    RL_POINT_USED_AS_OUTPUT
};

struct rl_point {
    enum rl_point_kind kind;
    struct rl_value *value;
    struct rl_node *node;
    enum rl_spec spec;
    bool exact;                      // MADE: must stay floating point (exact.c)
    struct rl_point *shares;         // SHARED: the other point
    struct rl_point *parent;         // of the set of points with one grid; itself at the root (share.c)
    struct rl_observer *observer;    // NULL where spec is NONE
    const struct rl_histogram *seen; // of its value alone; NULL before calibration, with the stock quantizer, and where
                                     // nothing is observed
};

// The float values around a node: its distinct inputs in argument order, then its results.
struct rl_site {
    struct rl_node *node;
    struct rl_point *uses, *results;
    int use_count, result_count;
    bool annotated;
    bool queued;           // in the search for a cluster of sharing operators
    const char *objection; // why a pattern that starts here was refused; NULL if none starts here
};

struct rl_annotation {
    struct rl_graph *graph;
    struct rl_point *points; // graph inputs, then node by node, then graph outputs
    int point_count;
    struct rl_site *sites; // one for each node, in graph order
    int site_count;
    struct rl_observer **observers;
    int observer_count;
    enum rl_quantizer quantizer;
    bool widens_outputs; // whether what the caller gets may be int16
};

// A point for every float32 value made or used in the graph, all with RL_SPEC_NONE.
struct rl_annotation *rl_annotation_new(struct rl_graph *graph);

// The point where a value is made or used; NULL if there is none.
struct rl_point *rl_annotation_made(const struct rl_annotation *annotation, const struct rl_value *value);
struct rl_point *rl_annotation_used(const struct rl_annotation *annotation, const struct rl_value *value,
                                    const struct rl_node *node);
struct rl_site *rl_annotation_site(const struct rl_annotation *annotation, const struct rl_node *node);

// The last node of the pattern that starts at a site: an activation or a factor that its operator computes, too.
struct rl_site *rl_annotation_end_of(const struct rl_annotation *annotation, struct rl_site *site);

// Gives the points around a recurrent layer (split_recurrent) their specs: the states before and after it share a grid,
// which has the spec `hidden`.
void rl_annotation_mark_recurrent(const struct rl_annotation *annotation, struct rl_site *site, enum rl_spec hidden);

// Makes operators take hidden states of recurrent layers on the grid that these have.
void rl_annotation_keep_hidden(const struct rl_annotation *annotation);

// Choose the grids of a hidden state and of a cell from what their observers saw.
void rl_recurrent_choose_hidden(const struct rl_annotation *annotation, struct rl_observer *observer);
void rl_recurrent_choose_cell(struct rl_observer *observer);

// Gives inputs that are initial states of recurrent layers the grids of these states.
void rl_annotation_share_states(const struct rl_annotation *annotation);

// Makes results of layers and of functions int16 that only the caller gets. Neither the stock quantizer nor ExecuTorch
// does this.
void rl_annotation_widen_results(const struct rl_annotation *annotation);

// Whether the caller gets a value in floating point, so that it may be int16. Other outputs are next values of states.
bool rl_annotation_is_float_output(const struct rl_annotation *annotation, const struct rl_value *value);

// Makes the probabilities of an int16 value that the caller alone gets int16.
void rl_annotation_widen_probabilities(const struct rl_annotation *annotation, const struct rl_value *value);

// Makes the values around magnitudes int16, from the graph's inputs to the functions of single numbers behind them.
void rl_annotation_widen_spectra(const struct rl_annotation *annotation);

// Whether a pool has a kernel for int16, whose results are on the grid of what it takes.
bool rl_pool_takes_int16(const struct rl_node *node);

// Makes the activations of every operator that has a kernel for them int16.
void rl_annotation_widen_activations(const struct rl_annotation *annotation);

// Excludes nodes whose floats become integers from quantization. The stock quantizer does not do this.
void rl_annotation_keep_exact(struct rl_annotation *annotation);

// The spec of a point after following shared ones.
enum rl_spec rl_point_spec(struct rl_point *point);

// Gives operands of concatenations grids of their own where the common one would be too coarse for them, once the
// samples were seen.
void rl_annotation_part_grids(struct rl_annotation *annotation);

// Tells the observers of biases those of the inputs and weights from which their scales derive.
void rl_annotation_tell_biases(const struct rl_annotation *annotation);

// Joins the points that hold one tensor under equal specs or ask to share, and gives each set its observer.
void rl_annotation_share(struct rl_annotation *annotation);

// Whether an observer describes a weight, by channel or not.
bool rl_observer_is_weight(const struct rl_observer *observer);

// Integers of the tensors that an observer describes.
struct rl_qrange rl_observer_range(const struct rl_observer *observer);
enum rl_scalar_type rl_observer_dtype(const struct rl_observer *observer);

// The range that the grid of an activation or a result covers, once it has seen the calibration data.
struct rl_minmax rl_observer_choose_range(const struct rl_annotation *annotation, const struct rl_observer *observer);

// The dimension of its constant that counts channels.
int rl_observer_axis(const struct rl_observer *observer);

// The nearest int8 integers to a constant that it describes.
void rl_observer_round(const struct rl_observer *observer, const struct rl_value *constant, int8_t *integers);

// The value that `value` has the elements of, in another memory order: the float program makes its own copies.
const struct rl_value *rl_value_shown(const struct rl_value *value);

#endif
