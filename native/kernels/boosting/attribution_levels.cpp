// Which of the compiled copies of attribution_kernels.cpp to use.
#include "boosting/attribution_kernels.hpp"

namespace branchline {

namespace baseline {
void add_attributions(const BranchWalk&, const double*, std::size_t, const WalkRoom&, double*);
}
#if defined(__x86_64__)
namespace v3 {
void add_attributions(const BranchWalk&, const double*, std::size_t, const WalkRoom&, double*);
}
namespace v4 {
void add_attributions(const BranchWalk&, const double*, std::size_t, const WalkRoom&, double*);
}
#endif

AddAttributions add_attributions_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::add_attributions;
    if (level == CpuLevel::v3) return v3::add_attributions;
#endif
    static_cast<void>(level);
    return baseline::add_attributions;
}

}  // namespace branchline
