/**
 * `run/start` to a command line. Pure.
 * @typedef {import("./types.ts").StartRunParams} StartRunParams
 */

/** The prompt goes to stdin, where it is neither limited in length nor visible to other users.
 * @param {StartRunParams} params
 * @returns {{ arguments: string[], env: Record<string, string>, stdin: string }} */
export function invocation(params) {
  return { arguments: [], env: {}, stdin: params.prompt.text };
}
