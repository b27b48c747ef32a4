//! The risk of a tool call, by the kind of its tool.

use od_protocol::{ApprovalCategory, ApprovalRisk, ToolKind};

/// Returns the category and the risk of a call that needs an approval.
///
/// ```
/// use od_protocol::{ApprovalCategory, ApprovalRisk, ToolKind};
///
/// let (category, risk) = od_sdk::approval::assess_risk(ToolKind::Execute);
/// assert_eq!((category, risk), (ApprovalCategory::Execute, ApprovalRisk::High));
/// ```
pub fn assess_risk(kind: ToolKind) -> (ApprovalCategory, ApprovalRisk) {
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
