import type { JsonObject } from "../conversation.ts"
import { KEY_VARIABLE } from "./key-variable.ts"

/** Writes a shell command with the exact body that was sent. */
export function curlCode(base: string, path: string, body: JsonObject): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return [
    `curl -N ${base}${path} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${json}'`,
  ].join("\n")
}
