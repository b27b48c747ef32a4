//! `od-host models`: lists the models of an agent.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};
use od_protocol::adapter::{ListModelsParams, ListModelsResult};
use od_protocol::{Model, ModelsSource};

use crate::cli::arguments::InspectArguments;
use crate::cli::format;
use crate::cli::print::{print, print_json, print_remark, table, table_text};
use crate::cli::suggest::connect;
use crate::cli::terminal::{single_line, while_waiting};

const EXAMPLES: &str = "\
Examples:
  od-host models -a demo
  od-host models -a demo --json | jq -r '.models[].id'";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    inspect: InspectArguments,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let arguments = &arguments.inspect;
    let plugin = connect(host, &arguments.agent).await?;
    let call = plugin.call(ListModelsParams::default());
    let result = while_waiting("listing models", call).await;
    plugin.close().await;
    let list = result?;
    if arguments.json {
        print_json(&list)?;
        return Ok(ExitStatus::Completed);
    }
    print(&text(&list))?;
    if list.source == ModelsSource::Static {
        print_remark("this list is built into the adapter; the agent CLI may support other models");
    }
    Ok(ExitStatus::Completed)
}

fn text(list: &ListModelsResult) -> String {
    let mut table = table(&["MODEL", "NAME", "CONTEXT", "EFFORTS", ""]);
    for model in &list.models {
        let current = list.current.as_ref() == Some(&model.id);
        let mark = match (current, model.default) {
            (true, _) => "current",
            (false, true) => "default",
            (false, false) => "",
        };
        table.add_row([
            single_line(&model.id),
            model.name.as_deref().map(single_line).unwrap_or_default(),
            model.context_window.map(format::tokens).unwrap_or_default(),
            efforts(model),
            mark.to_owned(),
        ]);
    }
    table_text(&table)
}

fn efforts(model: &Model) -> String {
    let words: Vec<&str> = model.efforts.iter().flatten().map(|effort| effort.as_str()).collect();
    words.join(" ")
}
