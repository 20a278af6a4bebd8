// A model as numbers, and back: what happened, and all members; its nodes as a list.
#include <limits>

#include "stream/state_io.hpp"
#include "stream/stream_member.hpp"

namespace branchline {

namespace {

void list_nodes(const TreeNode& node, std::vector<StreamNode>& nodes) {
    StreamNode one;
    const StreamSplit& split = node.split;
    one.column = split.column;
    one.is_category = split.is_category;
    one.missing_left = split.missing_left;
    one.others_left = split.others_left;
    one.threshold = split.threshold;
    for (std::size_t code = 0; code < split.is_left.size(); ++code) {
        if (split.is_left[code] == 1) one.left_codes.push_back(static_cast<std::int32_t>(code));
    }
    one.of_class = node.of_class;
    one.is_active = node.seen != nullptr;
    nodes.push_back(std::move(one));
    if (node.is_leaf()) return;
    list_nodes(*node.left, nodes);
    list_nodes(*node.right, nodes);
}

void write_event(const StreamEvent& event, StateWriter& out) {
    for (const std::int64_t value :
         {event.row, static_cast<std::int64_t>(event.kind), std::int64_t{event.member},
          std::int64_t{event.column}, event.n_rows, static_cast<std::int64_t>(event.path.size())}) {
        out.whole(value);
    }
    out.real(event.error_before);
    out.real(event.error_after);
    for (const PathStep& step : event.path) {
        out.whole(step.column);
        out.whole(step.is_left ? 1 : 0);
        out.whole(step.is_category ? 1 : 0);
        out.real(step.threshold);
        out.whole(static_cast<std::int64_t>(step.codes.size()));
        for (const std::int32_t code : step.codes) out.whole(code);
    }
}

StreamEvent read_event(StateReader& in, std::int64_t n_rows, std::int64_t n_columns,
                       std::int64_t n_members) {
    StreamEvent event;
    event.row = in.whole(0, n_rows);
    event.kind = static_cast<StreamEventKind>(in.whole(0, 3));
    event.member = static_cast<std::int32_t>(in.whole(0, n_members - 1));
    event.column = static_cast<std::int32_t>(in.whole(-1, n_columns - 1));
    event.n_rows = in.whole(0, n_rows);
    event.path.resize(in.count());
    event.error_before = in.real(0, 1);
    event.error_after = in.real(0, 1);
    for (PathStep& step : event.path) {
        step.column = static_cast<std::int32_t>(in.whole(0, n_columns - 1));
        step.is_left = in.flag();
        step.is_category = in.flag();
        step.threshold =
            in.real(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
        step.codes.resize(in.count());
        for (std::int32_t& code : step.codes) {
            code = static_cast<std::int32_t>(in.whole(-1, std::int64_t{1} << 30));
        }
    }
    return event;
}

}  // namespace

std::vector<StreamNode> StreamModel::nodes(std::size_t member) const {
    std::vector<StreamNode> nodes;
    list_nodes(members_[member]->tree().root(), nodes);
    return nodes;
}

void StreamModel::write(std::vector<double>& reals, std::vector<std::int64_t>& wholes) const {
    StateWriter out;
    out.whole(n_rows_);
    out.whole(n_events_);
    out.whole(static_cast<std::int64_t>(events_.size()));
    for (const StreamEvent& event : events_) write_event(event, out);
    for (const auto& member : members_) member->write(out);
    reals = std::move(out.reals);
    wholes = std::move(out.wholes);
}

void StreamModel::read(std::span<const double> reals, std::span<const std::int64_t> wholes) {
    StateReader in(reals, wholes);
    n_rows_ = in.whole(0, std::int64_t{1} << 62);
    n_events_ = in.whole(0, std::int64_t{1} << 62);
    events_.clear();
    const std::size_t n_events = in.count();
    for (std::size_t e = 0; e < n_events; ++e) {
        events_.push_back(read_event(in, n_rows_, static_cast<std::int64_t>(n_columns()),
                                     static_cast<std::int64_t>(n_members())));
    }
    for (auto& member : members_) member->read(in);
    in.require_end();
}

}  // namespace branchline
