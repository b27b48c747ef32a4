//! How grave a tool call is, by what its tool does.

use od_protocol::{ApprovalCategory, ApprovalRisk, ToolKind};

/// The category and the risk of a call that somebody has to approve.
pub fn judge(kind: ToolKind) -> (ApprovalCategory, ApprovalRisk) {
    match kind {
        ToolKind::Execute => (ApprovalCategory::Execute, ApprovalRisk::High),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            (ApprovalCategory::Edit, ApprovalRisk::Med)
        }
        ToolKind::Read | ToolKind::Search => (ApprovalCategory::Read, ApprovalRisk::Low),
        ToolKind::Fetch => (ApprovalCategory::Network, ApprovalRisk::High),
        _ => (ApprovalCategory::Other, ApprovalRisk::Med),
    }
}
