// The compiled module: a list of what each binding file adds. _core.pyi shows the whole border.
#include <nanobind/nanobind.h>

#include <new>

namespace branchline::bindings {
void add_attributions(nanobind::module_& module);
void add_bayes(nanobind::module_& module);
void add_bag(nanobind::module_& module);
void add_boosting(nanobind::module_& module);
void add_boosting_rounds(nanobind::module_& module);
void add_clusters(nanobind::module_& module);
void add_distances(nanobind::module_& module);
void add_codes(nanobind::module_& module);
void add_column_keys(nanobind::module_& module);
void add_exact_neighbors(nanobind::module_& module);
void add_exact_products(nanobind::module_& module);
void add_fold_columns(nanobind::module_& module);
void add_forest(nanobind::module_& module);
void add_forest_walker(nanobind::module_& module);
void add_grow(nanobind::module_& module);
void add_held_out(nanobind::module_& module);
void add_interrupt(nanobind::module_& module);
void add_item_sets(nanobind::module_& module);
void add_near_points(nanobind::module_& module);
void add_network(nanobind::module_& module);
void add_kernel_matrix(nanobind::module_& module);
void add_linear_leaf_models(nanobind::module_& module);
void add_linear_sets(nanobind::module_& module);
void add_linear_svm(nanobind::module_& module);
void add_losses(nanobind::module_& module);
void add_linear_test(nanobind::module_& module);
void add_node_tests(nanobind::module_& module);
void add_optimal(nanobind::module_& module);
void add_prune(nanobind::module_& module);
void add_random(nanobind::module_& module);
void add_relief(nanobind::module_& module);
void add_row_keys(nanobind::module_& module);
void add_scale_rows(nanobind::module_& module);
void add_sequences(nanobind::module_& module);
void add_drift(nanobind::module_& module);
void add_stream(nanobind::module_& module);
void add_strings(nanobind::module_& module);
void add_svm(nanobind::module_& module);
void add_svm_pairs(nanobind::module_& module);
void add_svm_resampling(nanobind::module_& module);
void add_term_sums(nanobind::module_& module);
void add_walker(nanobind::module_& module);

namespace {

// Memory that runs out in any kernel is an error of ours, with a code.
void raise_not_enough_memory(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        const nanobind::object kind =
            nanobind::module_::import_("branchline.errors").attr("NotEnoughMemoryError");
        PyErr_SetObject(kind.ptr(), kind().ptr());
    }
}

}  // namespace
}  // namespace branchline::bindings

NB_MODULE(_core, module) {
    // A model that lives until the interpreter ends is not a leak.
    nanobind::set_leak_warnings(false);
    nanobind::register_exception_translator(branchline::bindings::raise_not_enough_memory);
    module.doc() = "Compiled kernels of Branchline. Private: no checks beyond shapes.";
    branchline::bindings::add_bayes(module);
    branchline::bindings::add_bag(module);
    branchline::bindings::add_grow(module);
    branchline::bindings::add_forest_walker(module);
    branchline::bindings::add_attributions(module);
    branchline::bindings::add_boosting(module);
    branchline::bindings::add_losses(module);
    branchline::bindings::add_boosting_rounds(module);
    branchline::bindings::add_clusters(module);
    branchline::bindings::add_distances(module);
    branchline::bindings::add_codes(module);
    branchline::bindings::add_column_keys(module);
    branchline::bindings::add_exact_neighbors(module);
    branchline::bindings::add_exact_products(module);
    branchline::bindings::add_fold_columns(module);
    branchline::bindings::add_forest(module);
    branchline::bindings::add_held_out(module);
    branchline::bindings::add_interrupt(module);
    branchline::bindings::add_item_sets(module);
    branchline::bindings::add_near_points(module);
    branchline::bindings::add_network(module);
    branchline::bindings::add_kernel_matrix(module);
    branchline::bindings::add_linear_leaf_models(module);
    branchline::bindings::add_linear_sets(module);
    branchline::bindings::add_linear_svm(module);
    branchline::bindings::add_linear_test(module);
    branchline::bindings::add_node_tests(module);
    branchline::bindings::add_optimal(module);
    branchline::bindings::add_prune(module);
    branchline::bindings::add_random(module);
    branchline::bindings::add_relief(module);
    branchline::bindings::add_row_keys(module);
    branchline::bindings::add_scale_rows(module);
    branchline::bindings::add_sequences(module);
    branchline::bindings::add_drift(module);
    branchline::bindings::add_stream(module);
    branchline::bindings::add_strings(module);
    branchline::bindings::add_svm(module);
    branchline::bindings::add_svm_pairs(module);
    branchline::bindings::add_svm_resampling(module);
    branchline::bindings::add_term_sums(module);
    branchline::bindings::add_walker(module);
}
