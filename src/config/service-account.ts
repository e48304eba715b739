import { readFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { z } from "zod"
import { Fault } from "./scalars.ts"
import type { ServiceAccount } from "./settings.ts"

/** The key file of a service account from Google's console, as far as it is needed. */
const keySchema = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1),
  private_key: z.string().startsWith("-----BEGIN PRIVATE KEY-----"),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
  token_uri: z.string().default("https://oauth2.googleapis.com/token"),
})

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * Reads the key of a Google service account.
 * @param text its JSON, or the path of the file that holds it.
 * @param directory what a relative path is relative to.
 */
export function readServiceAccount(text: string, directory: string): ServiceAccount | Fault {
  const json = text.trimStart().startsWith("{") ? text : readKeyFile(text.trim(), directory)
  if (json instanceof Fault) return json
  const { data, error } = keySchema.safeParse(parseJson(json))
  if (error) return new Fault(keyFault(error.issues))
  if (!isSafe(data.token_uri)) return new Fault("must have a token_uri that starts with https://")
  return {
    clientEmail: data.client_email,
    privateKey: data.private_key,
    tokenUri: data.token_uri,
    ...(data.private_key_id === undefined ? {} : { privateKeyId: data.private_key_id }),
    ...(data.project_id === undefined ? {} : { projectId: data.project_id }),
  }
}

function readKeyFile(path: string, directory: string): string | Fault {
  try {
    return readFileSync(isAbsolute(path) ? path : join(directory, path), "utf8")
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    return new Fault(
      `cannot be read${code}. It must be the key of a service account: its JSON, or the path of its file`,
    )
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Names what is invalid, and quotes nothing. */
function keyFault(issues: readonly z.core.$ZodIssue[]): string {
  const member = issues[0]?.path[0]
  if (member === undefined) return "must be the key of a service account, as JSON"
  if (member === "type") {
    return "must be the key of a service account: its 'type' is not 'service_account'"
  }
  return `is no whole key of a service account: its '${String(member)}' is missing or wrong`
}

/** A claim that others could read in transit would be as good as the key. */
function isSafe(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol === "https:") return true
  return url?.protocol === "http:" && LOOPBACK.has(url.hostname)
}
