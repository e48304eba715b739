/**
 * Writes openapi.json, the description of the public API, so that a diff shows each change to the API. `npm run pages`
 * writes the file; a test checks that it is current.
 */
import { join } from "node:path"
import { openApiDocument } from "../src/http/docs/openapi.ts"

export const OPENAPI_FILE = join(import.meta.dir, "../openapi.json")

/** Address of a gateway with default settings. */
const DEFAULT_ADDRESS = "http://127.0.0.1:8787"

/** Returns the text of the file. */
export function openApiFile(): string {
  return `${JSON.stringify(openApiDocument(DEFAULT_ADDRESS), null, 1)}\n`
}

if (import.meta.main) await Bun.write(OPENAPI_FILE, openApiFile())
