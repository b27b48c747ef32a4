// A typed client of `od-host serve`. `od-host-client/node` adds functions that need Node.

export type { Client, EventsOptions, MethodName, ParamsOf, ResultOf } from "./client.js";
export { CONNECTION_LOST, HostError, NOT_UNDERSTOOD } from "./errors.js";
export { http } from "./http.js";
export * from "./types.js";
export { connect, type ConnectOptions } from "./websocket.js";
