/** The manifest, and what follows from it. */
import { readFileSync } from "node:fs";

/** @type {import("./types.ts").Manifest} */
export const manifest = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));
export const cliName = manifest.cli.names[0];

const passedVariables = new Set(`PATH HOME USER LOGNAME SHELL LANG TZ TMPDIR HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy
  https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SYSTEMROOT
  SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
  PROGRAMFILES`.split(/\s+/));
for (const name of manifest.auth.env ?? []) passedVariables.add(name);
for (const { name } of manifest.requirements?.env ?? []) passedVariables.add(name);
const nestingVariables = new Set(manifest.requirements?.nestingEnv ?? []);

/** The whole environment of the agent CLI. @param {Record<string, string>} [variables] those of the run */
export function environment(variables = {}) {
  const passed = Object.entries(process.env).filter(([name]) => passedVariables.has(name) || /^(LC|XDG)_/.test(name));
  const all = { ...Object.fromEntries(passed), TERM: "dumb", NO_COLOR: "1", ...variables };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !nestingVariables.has(name)));
}
