// The error class of the client.

import { ERROR_CODES, type ErrorData, type ErrorKind, type ErrorObject } from "./types.js";

/** The error kinds of the client itself. */
export const CONNECTION_LOST = "_client.connection_lost";
export const NOT_UNDERSTOOD = "_client.not_understood";

/** A failed call: the host returned an error, or it could not be reached. */
export class HostError extends Error {
  override readonly name = "HostError";
  /** The kind, to branch on. */
  readonly kind: ErrorKind;
  /** The JSON-RPC code. */
  readonly code: number;
  /** What to type or change to fix it. */
  readonly hint: string | undefined;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** The error data of the host. */
  readonly data: ErrorData | undefined;

  constructor(error: ErrorObject) {
    super(error.message);
    this.code = error.code;
    this.data = error.data ?? undefined;
    this.kind = this.data?.kind ?? kindOf(error.code);
    this.hint = this.data?.hint ?? undefined;
    this.retryable = this.data?.retryable ?? false;
  }
}

/** The host cannot be reached, or the connection to it has ended. */
export function connectionLost(message: string, hint: string): HostError {
  const data = { kind: CONNECTION_LOST, hint, retryable: true };
  return new HostError({ code: 2000, message, data });
}

/** A message does not follow the API. */
export function notUnderstood(message: string): HostError {
  const hint = "check that the address belongs to od-host serve with the same API major";
  return new HostError({ code: 2000, message, data: { kind: NOT_UNDERSTOOD, hint, retryable: false } });
}

/** The error in an unsuccessful HTTP response, alone or in a JSON-RPC message. */
export function errorInReply(status: number, text: string): HostError {
  try {
    const reply: unknown = JSON.parse(text);
    const error = isObject(reply) && isObject(reply["error"]) ? reply["error"] : reply;
    if (isObject(error) && typeof error["message"] === "string") {
      return new HostError(error as unknown as ErrorObject);
    }
  } catch {
    // The response is not JSON, so it is not from the host.
  }
  return notUnderstood(`the response has status ${status} without an error object`);
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(code: number): ErrorKind {
  const known = Object.entries(ERROR_CODES).find(([, known]) => known === code);
  return known?.[0] ?? "internal";
}
