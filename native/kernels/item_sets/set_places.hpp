// Where each set without one of its items stands among all sets.
#pragma once

#include "branchline/item_sets.hpp"

namespace branchline {

// Fills sets.without. A set's key is the sum of its items' keys, so that the key without an item is a
// difference; sets of equal key are compared. Requires: every subset of a set is among the sets.
void find_subsets(ItemSets& sets, StopSignal& stop);

}  // namespace branchline
