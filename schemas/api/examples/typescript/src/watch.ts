// Prints the events of a run, one JSON object per line, across lost connections.
//
//   node dist/watch.js websocket URL RUN        (the token is in OD_TOKEN)
//   node dist/watch.js http URL RUN

import { connect, http } from "./index.js";

const [transport, url = "", runId = ""] = process.argv.slice(2);
const options = { url, token: process.env["OD_TOKEN"] ?? "" };
const client = transport === "websocket" ? await connect(options) : http(options);
for await (const event of client.events(runId)) console.log(JSON.stringify(event));
await client.close();
