//! The agent's task list: TodoWrite replaces the whole list, TaskCreate and TaskUpdate change one
//! entry.

use std::collections::HashMap;

use od_protocol::{Event, Plan, PlanEntry, PlanStatus};
use od_sdk::RunOutput;
use od_sdk::stream_json::Block;
use serde_json::Value;

/// One task, with the CLI's id.
#[derive(Debug)]
struct Task {
    id: String,
    entry: PlanEntry,
}

/// The task list.
#[derive(Debug, Default)]
pub(super) struct TaskList {
    tasks: Vec<Task>,
    /// Inputs of TaskUpdate calls that have no result yet.
    updates: HashMap<String, Value>,
}

impl TaskList {
    /// A call with complete input.
    pub(super) fn on_call(&mut self, block: &Block, output: &mut RunOutput) {
        match block.name.as_str() {
            "TodoWrite" => {
                let todos = block.input.get("todos").and_then(Value::as_array);
                let entries = todos.into_iter().flatten().filter_map(todo_entry).collect();
                output.event(Event::Plan(Plan { entries }));
            }
            "TaskUpdate" => {
                self.updates.insert(block.id.clone(), block.input.clone());
            }
            _ => {}
        }
    }

    /// The report of a result: a new task, or a confirmed update.
    pub(super) fn on_result(&mut self, call_id: &str, report: &Value, output: &mut RunOutput) {
        if let Some(update) = self.updates.remove(call_id) {
            if report.get("success").and_then(Value::as_bool) == Some(true) {
                self.update(&update);
                self.report(output);
            }
        } else if let Some(task) = report.get("task").and_then(created_task) {
            self.tasks.push(task);
            self.report(output);
        }
    }

    fn update(&mut self, update: &Value) {
        let field = |key: &str| update.get(key).and_then(Value::as_str);
        let Some(id) = field("taskId") else { return };
        if field("status") == Some("deleted") {
            self.tasks.retain(|task| task.id != id);
            return;
        }
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return };
        if let Some(status) = field("status") {
            task.entry.status = PlanStatus::from_wire(status);
        }
        if let Some(subject) = field("subject") {
            task.entry.content = subject.to_owned();
        }
    }

    fn report(&self, output: &mut RunOutput) {
        let entries = self.tasks.iter().map(|task| task.entry.clone()).collect();
        output.event(Event::Plan(Plan { entries }));
    }
}

fn todo_entry(todo: &Value) -> Option<PlanEntry> {
    let status = todo.get("status").and_then(Value::as_str).unwrap_or_default();
    Some(PlanEntry {
        content: todo.get("content")?.as_str()?.to_owned(),
        status: PlanStatus::from_wire(status),
    })
}

/// Parses the report of TaskCreate. The report of TaskGet has a status and is ignored.
fn created_task(task: &Value) -> Option<Task> {
    if task.get("status").is_some() {
        return None;
    }
    let content = task.get("subject")?.as_str()?.to_owned();
    Some(Task {
        id: task.get("id")?.as_str()?.to_owned(),
        entry: PlanEntry { content, status: PlanStatus::Pending },
    })
}
