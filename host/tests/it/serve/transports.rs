//! The same sequence of calls over every transport gives the same results.

mod normalize;

use serde_json::{Value, json};

use super::client::{Client, Matches, Reply, Transport};
use super::server_process::kind;
use crate::cli::scratch::Scratch;
use normalize::Names;

/// One client and its recorded results.
struct Session {
    client: Box<dyn Client>,
    names: Names,
    /// The working folder of the agents.
    cwd: String,
    seen: Vec<(String, Value)>,
}

#[test]
fn every_transport_gives_same_results() {
    let sessions = std::thread::scope(|scope| {
        Transport::ALL
            .map(|transport| scope.spawn(move || run_session(transport)))
            .map(|session| session.join().expect("a session"))
    });
    let mut sessions = Transport::ALL.iter().zip(sessions);
    let (_, expected) = sessions.next().expect("a transport");
    assert!(expected.len() > 50, "{} steps", expected.len());
    for (transport, seen) in sessions {
        for (step, expected_step) in seen.iter().zip(&expected) {
            assert_eq!(step, expected_step, "{transport:?} differs from the library");
        }
        assert_eq!(seen.len(), expected.len(), "{transport:?}");
    }
}

/// Calls everything once.
fn run_session(transport: Transport) -> Vec<(String, Value)> {
    let scratch = Scratch::with_adapter("x", "good");
    scratch.add_demo();
    let cwd = scratch.path("work").display().to_string();
    let names = Names::new(&scratch.path("").display().to_string());
    let mut session = Session { client: transport.open(scratch), names, cwd, seen: Vec::new() };
    session.call_agents();
    let run_id = session.start_once();
    session.attach_twice(&run_id);
    session.answer_approvals();
    session.cancel_run();
    session.list_runs(&run_id);
    session.call_adapters();
    session.call_with_errors();
    session.shut_down()
}

impl Session {
    /// Calls a method and records the reply.
    fn call(&mut self, method: &str, params: Value) -> Reply {
        let answer = self.client.call(method, &params);
        let recorded = match &answer {
            Ok(result) => self.names.normalize(result),
            Err(error) => json!({"refused": self.names.normalize(error)}),
        };
        self.seen.push((format!("{method} {}", self.names.normalize(&params)), recorded));
        answer
    }

    #[track_caller]
    fn get(&mut self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Expects an error of this kind with a hint.
    #[track_caller]
    fn refused(&mut self, method: &str, params: Value, expected: &str) {
        let error = self.call(method, params).expect_err(method);
        assert_eq!(kind(&error), expected, "{error}");
        assert!(error["data"]["hint"].is_string(), "{error}");
    }

    /// Reads events from a number up to the first match.
    #[track_caller]
    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Vec<Value> {
        let events = self.client.read(run_id, from, matches).expect("events");
        assert!(events.last().is_some_and(matches), "the stream ended early: {events:?}");
        for (seq, event) in (from..).zip(&events) {
            assert_eq!(event["seq"], seq, "each number comes once");
        }
        let recorded =
            Value::Array(events.iter().map(|event| self.names.normalize(event)).collect());
        self.seen.push((format!("events of {} from {from}", self.names.of_run(run_id)), recorded));
        events
    }

    /// A task for the demo agent, with an `OD_HOME` of the test.
    fn task(&self, prompt: &str) -> Value {
        let home = self.client.scratch().path("od");
        json!({
            "cwd": self.cwd, "prompt": {"text": prompt}, "model": "demo-1-fast",
            "env": {"OD_HOME": home},
        })
    }

    fn start(&mut self, params: Value) -> String {
        let run = self.get("runs/start", params);
        run["runId"].as_str().expect("an id").to_owned()
    }

    fn call_agents(&mut self) {
        let info = self.get("host/info", json!({}));
        assert_eq!((&info["name"], &info["api"]), (&json!("od-host"), &json!(1)));
        self.get("agents/refresh", json!({}));
        let list = self.get("agents/list", json!({}));
        let ids: Vec<&Value> =
            list["agents"].as_array().expect("agents").iter().map(|agent| &agent["id"]).collect();
        assert_eq!(ids, ["demo", "x"]);
        let agent = self.get("agents/get", json!({"agent": "demo"}));
        assert_eq!((&agent["ready"], &agent["installed"]), (&json!(true), &json!(true)));
        let skill = json!({"name": "sketch", "capabilities": ["fork", "telepathy"]});
        let features = self.get("agents/features", json!({"agent": "demo", "skills": [skill]}));
        let gates = features["gates"].as_array().expect("gates");
        let sketch = gates.iter().find(|gate| gate["name"] == "sketch").expect("the skill");
        assert_eq!(
            (&sketch["enabled"], &sketch["missing"]),
            (&json!(false), &json!(["telepathy"]))
        );
        let models = self.get("agents/models", json!({"agent": "demo"}));
        assert_eq!(models["models"].as_array().map(Vec::len), Some(2));
        self.get("agents/health", json!({"agent": "demo"}));
        self.refused("agents/quota", json!({"agent": "demo"}), "capability_unsupported");
        self.refused("agents/get", json!({"agent": "missing"}), "_od.agent_unknown");
        let active = self.get("agents/setActive", json!({"agent": "demo"}));
        assert_eq!(active["active"], "demo");
        assert_eq!(self.get("agents/list", json!({}))["active"], "demo");
    }

    /// The same key starts a run once, also with two calls at the same time.
    fn start_once(&mut self) -> String {
        let params = json!({"key": "once", "task": self.task("a page about tea")});
        let first = self.get("runs/start", params.clone());
        assert_eq!((&first["agent"], &first["existing"]), (&json!("demo"), &json!(false)));
        let run_id = first["runId"].as_str().expect("an id").to_owned();
        self.read(&run_id, 0, &is_done);
        let result = self.get("runs/result", json!({"runId": run_id}));
        assert_eq!(result["verdict"]["status"], "completed");
        let again = self.get("runs/start", params);
        assert_eq!((&again["runId"], &again["existing"]), (&json!(run_id), &json!(true)));
        let other = json!({"key": "once", "task": self.task("a page about coffee")});
        self.refused("runs/start", other, "_od.key_conflict");

        let params = json!({"key": "race", "agent": "x", "task": self.task_of_x()});
        let [one, two] = self.client.race("runs/start", &params);
        let (one, two) = (one.expect("a run"), two.expect("a run"));
        assert_eq!(one["runId"], two["runId"]);
        assert_ne!(one["existing"], two["existing"]);
        let raced = one["runId"].as_str().expect("an id").to_owned();
        self.read(&raced, 0, &is_done);
        self.get("runs/result", json!({"runId": raced}));
        run_id
    }

    fn task_of_x(&self) -> Value {
        json!({"cwd": self.cwd, "prompt": {"text": "go"}})
    }

    /// Detaching and attaching again gives the same events.
    fn attach_twice(&mut self, run_id: &str) {
        let all = self.read(run_id, 0, &is_done);
        let mut parts = self.read(run_id, 0, &|event| event["seq"] == 7);
        parts.extend(self.read(run_id, 8, &|event| event["seq"] == 20));
        parts.extend(self.read(run_id, 21, &is_done));
        assert_eq!(parts, all);
    }

    /// Answers approvals; calls that would disturb the active run are refused.
    fn answer_approvals(&mut self) {
        let params = json!({"approvals": true, "task": self.task("ask me about milk")});
        let run_id = self.start(params);
        let events = self.read(&run_id, 0, &is_question);
        let question = events.last().expect("a question");
        let (asked, approval) = (seq(question), question["event"]["approvalId"].clone());
        assert_eq!(self.get("runs/get", json!({"runId": run_id}))["state"], "running");
        self.refused("agents/setActive", json!({"agent": "x"}), "_od.run_active");
        self.refused("runs/delete", json!({"runId": run_id}), "_od.run_active");
        let input = self.get("runs/input", json!({"runId": run_id, "text": "and about sugar"}));
        assert_eq!(input["outcome"], "queued");
        let page = json!({"path": "milk.html", "content": "<p>milk</p>"});
        let answer = json!({
            "runId": run_id, "approvalId": approval, "outcome": "allow_once", "updatedInput": page,
        });
        self.get("runs/respond", answer);
        let rest = self.read(&run_id, asked + 1, &is_done);
        assert_eq!(count(&rest, "turn_ended"), 2, "the input has its own turn");
        let written = self.client.scratch().path("work/milk.html");
        assert_eq!(std::fs::read_to_string(written).expect("a page"), "<p>milk</p>");
        let result = self.get("runs/result", json!({"runId": run_id}));
        assert_eq!(result["files"].as_array().map(Vec::len), Some(2), "{result}");

        let run_id = self.start(json!({"approvals": true, "task": self.task("approve it")}));
        let asked = self.read(&run_id, 0, &is_question);
        let approval = &asked.last().expect("a question")["event"]["approvalId"];
        let answer = json!({
            "runId": run_id, "approvalId": approval, "outcome": "reject_once", "message": "no",
        });
        self.get("runs/respond", answer);
        let rest = self.read(&run_id, asked.len() as u64, &is_done);
        assert_eq!(count(&rest, "file_change"), 0);
        self.get("runs/result", json!({"runId": run_id}));
    }

    fn cancel_run(&mut self) {
        let run_id = self.start(json!({"task": self.task("wait a minute")}));
        let events = self.read(&run_id, 0, &|event| {
            event["event"]["input"]["command"]
                .as_str()
                .is_some_and(|text| text.starts_with("sleep"))
        });
        let cancelled = self.get("runs/cancel", json!({"runId": run_id}));
        assert_eq!(cancelled["accepted"], true);
        let rest = self.read(&run_id, events.len() as u64, &is_done);
        assert_eq!(rest.last().expect("an end")["event"]["status"], "cancelled");
        let result = self.get("runs/result", json!({"runId": run_id}));
        assert_eq!(result["verdict"]["status"], "cancelled");
        assert_eq!(self.get("runs/get", json!({"runId": run_id}))["state"], "cancelled");
        assert_eq!(self.get("runs/cancel", json!({"runId": run_id}))["accepted"], false);
    }

    fn list_runs(&mut self, run_id: &str) {
        let page = self.get("runs/list", json!({"limit": 2}));
        assert_eq!(page["runs"].as_array().map(Vec::len), Some(2));
        self.get("runs/list", json!({"limit": 2, "before": page["next"]}));
        let stopped = self.get("runs/list", json!({"state": "cancelled"}));
        assert_eq!(stopped["runs"].as_array().map(Vec::len), Some(1));
        self.refused("sessions/list", json!({"agent": "demo"}), "capability_unsupported");
        for group in ["agent", "model", "provider", "credential"] {
            self.get("usage/summary", json!({"by": group}));
        }
        assert_eq!(self.get("runs/delete", json!({"runId": run_id}))["deleted"], true);
        assert_eq!(self.get("runs/delete", json!({"runId": run_id}))["deleted"], false);
        self.refused("runs/get", json!({"runId": run_id}), "run_unknown");
        let usage = self.get("usage/summary", json!({}));
        assert_eq!(usage["total"]["runs"], 5, "the ledger keeps deleted runs: {usage}");
    }

    fn call_adapters(&mut self) {
        let list = self.get("adapters/list", json!({}));
        let hash = list["adapters"][0]["sha256"].clone();
        let hints = self.get("adapters/install-hints", json!({"agent": "demo"}));
        assert_eq!(hints["hints"][0]["installed"], true);
        let trusted = self.get("adapters/trust", json!({"sha256": hash}));
        assert_eq!(trusted["pinned"], json!([hash]));
        let trusted = self.get("adapters/trust", json!({"sha256": hash, "trusted": false}));
        assert_eq!(trusted["pinned"], json!([]));
    }

    fn call_with_errors(&mut self) {
        let unknown_run = json!({"runId": "0193a7b2-0000-7000-8000-000000000001"});
        for method in ["runs/get", "runs/result"] {
            self.refused(method, unknown_run.clone(), "run_unknown");
        }
        let error = self.client.read("missing", 0, &is_done).expect_err("no run");
        assert_eq!(kind(&error), "run_unknown");
        let recorded = self.names.normalize(&error);
        self.seen.push(("runs/attach".to_owned(), recorded));
        assert_eq!(self.get("runs/cancel", unknown_run)["accepted"], false);
        self.refused("runs/get", json!({}), "invalid_params");
        self.refused("runs/start", json!({"task": 1}), "invalid_params");
        self.refused("runs/nothing", json!({}), "method_not_found");
        let with = |name: &str, value: Value| {
            let mut task = self.task("go");
            task[name] = value;
            json!({"agent": "demo", "task": task})
        };
        let (outside, empty) = (with("cwd", json!("/")), with("prompt", json!({"text": " "})));
        let (unknown, model) = (with("cwd", json!(self.cwd)), with("model", json!("demo-9")));
        self.refused("runs/start", outside, "_od.path_not_allowed");
        self.refused("runs/start", empty, "_od.usage");
        let unknown = json!({"agent": "missing", "task": unknown["task"]});
        self.refused("runs/start", unknown, "_od.agent_unknown");
        // Only the agent knows its models, so the run's events report this.
        let run_id = self.start(model);
        self.read(&run_id, 0, &is_done);
        let result = self.get("runs/result", json!({"runId": run_id}));
        assert_eq!(result["verdict"]["errorKind"], "model_unknown");
    }

    fn shut_down(mut self) -> Vec<(String, Value)> {
        assert_eq!(self.get("host/shutdown", json!({}))["runs"], 0);
        assert_eq!(self.client.wait_for_exit(), Some(0));
        self.seen
    }
}

fn is_done(event: &Value) -> bool {
    event["event"]["type"] == "done"
}

fn is_question(event: &Value) -> bool {
    event["event"]["type"] == "approval_requested"
}

fn seq(event: &Value) -> u64 {
    event["seq"].as_u64().expect("a number")
}

fn count(events: &[Value], type_name: &str) -> usize {
    events.iter().filter(|event| event["event"]["type"] == type_name).count()
}
