// The compiled module: a list of what each binding file adds. _core.pyi shows the whole border.
#include <nanobind/nanobind.h>

namespace branchline::bindings {
void add_codes(nanobind::module_& module);
void add_random(nanobind::module_& module);
void add_tree(nanobind::module_& module);
}  // namespace branchline::bindings

NB_MODULE(_core, module) {
    module.doc() = "Compiled kernels of Branchline. Private: no checks beyond shapes.";
    branchline::bindings::add_codes(module);
    branchline::bindings::add_random(module);
    branchline::bindings::add_tree(module);
}
