// What can go wrong, as one class to branch on. Where it comes from does not live here.

import { ERROR_CODES, type ErrorData, type ErrorKind, type ErrorObject } from "./types.js";

/** The kinds of errors that this client makes itself. */
export const CONNECTION_LOST = "_client.connection_lost";
export const NOT_UNDERSTOOD = "_client.not_understood";

/** A call that failed: by the host's word, or because the host could not be reached. */
export class HostError extends Error {
  override readonly name = "HostError";
  /** What to branch on. */
  readonly kind: ErrorKind;
  /** The JSON-RPC code. */
  readonly code: number;
  /** What to type or change now. */
  readonly hint: string | undefined;
  /** The same call may succeed later without a change. */
  readonly retryable: boolean;
  /** All that the host said. */
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

/** What came is not what the API says. */
export function notUnderstood(message: string): HostError {
  const hint = "is the address really that of od-host serve, and of the same major?";
  return new HostError({ code: 2000, message, data: { kind: NOT_UNDERSTOOD, hint, retryable: false } });
}

/** The error in a reply that is no success, whether it stands alone or in a JSON-RPC message. */
export function errorInReply(status: number, text: string): HostError {
  try {
    const reply: unknown = JSON.parse(text);
    const error = isObject(reply) && isObject(reply["error"]) ? reply["error"] : reply;
    if (isObject(error) && typeof error["message"] === "string") {
      return new HostError(error as unknown as ErrorObject);
    }
  } catch {
    // What is no JSON is no reply of the host.
  }
  return notUnderstood(`the answer has status ${status} and says no more`);
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(code: number): ErrorKind {
  const known = Object.entries(ERROR_CODES).find(([, known]) => known === code);
  return known?.[0] ?? "internal";
}
