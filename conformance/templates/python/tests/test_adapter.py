"""The mapper against recorded output: `python3 -m unittest discover tests`. UPDATE_EXPECT=1 rewrites the events."""
import json, os, subprocess, sys, types, unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True
FOLDER = Path(__file__).resolve().parents[1]
EXECUTABLE = FOLDER / "od-adapter-my-agent"
RECORDINGS = FOLDER / "recordings"
adapter = types.ModuleType("adapter")
adapter.__file__ = str(EXECUTABLE)
SourceFileLoader("adapter", str(EXECUTABLE)).exec_module(adapter)

def replay(stdout):
    mapper = adapter.Mapper()
    events = [event for line in stdout.splitlines() for event in mapper.on_line(line)]
    return [*events, *mapper.on_exit(False)], mapper.is_complete

class AdapterTest(unittest.TestCase):
    def test_recordings_become_expected_events(self):
        for recording in RECORDINGS.glob("*/*.stdout.jsonl"):
            with self.subTest(recording=recording.name):
                events, is_complete = replay(recording.read_bytes())
                self.assertTrue(is_complete)
                text = "".join(json.dumps(event) + "\n" for event in events)
                expected = recording.with_name(recording.name.replace(".stdout.", ".events."))
                if os.environ.get("UPDATE_EXPECT"): expected.write_text(text)
                self.assertEqual(text, expected.read_text())

    def test_interrupted_tool_call_is_closed(self):
        events, is_complete = replay(b'{"type":"tool_call","id":"1","name":"shell"}\n')
        self.assertEqual(events[-1], {"type": "tool_result", "toolCallId": "1", "status": "unknown", "output": None})
        self.assertFalse(is_complete)

    def test_unknown_message_is_reported_twice_at_most(self):
        events, _ = replay(b'{"type":"future","key":"secret"}\n' * 3)
        self.assertEqual([event["count"] for event in events], [1, 3])
        self.assertNotIn("secret", json.dumps(events))

    def test_long_text_is_split_between_characters(self):
        event = {"type": "text_delta", "messageId": "message-1", "text": "ä\n\u0001" * 100}
        pieces = list(adapter.parts(event, 20))
        self.assertEqual("".join(piece["text"] for piece in pieces), event["text"])
        self.assertTrue(all(len(adapter.encode(piece["text"])) <= 22 for piece in pieces))

    def test_long_output_is_shortened_and_marked(self):
        event = {"type": "tool_result", "toolCallId": "1", "status": "ok", "output": "ä" * 100}
        self.assertEqual(list(adapter.parts(event, 21)), [{**event, "output": "ä" * 10, "truncated": {"bytes": 180}}])

    def test_prompt_goes_to_stdin(self):
        self.assertEqual(adapter.invocation({"prompt": {"text": "hello"}}), ([], {}, b"hello"))

    def test_manifest_is_printed(self):
        printed = subprocess.run([EXECUTABLE, "--manifest"], capture_output=True, check=True).stdout
        self.assertEqual(json.loads(printed), json.loads((FOLDER / "manifest.json").read_text()))

if __name__ == "__main__": unittest.main()
