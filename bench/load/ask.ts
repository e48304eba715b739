import { tmpdir } from "node:os"
import { PEERS } from "../subjects/peers-folder.ts"
import type { Address } from "../subjects/subject.ts"

const MAX_TIME = 30_000
const MAX_WORDS = 300

/**
 * Sends one request on a new connection.
 * @throws Error with the response, unless its status is 200.
 */
export async function ask(
  address: Address,
  path: string,
  body: string | FormData,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${address.port}${path}`, {
    method: "POST",
    headers: {
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...address.headers,
    },
    body,
    keepalive: false,
    signal: AbortSignal.timeout(MAX_TIME),
  })
  const text = await response.text()
  if (response.status === 200) return text
  throw new Error(`${response.status} ${text.replaceAll(/\s+/g, " ").slice(0, MAX_WORDS)}`)
}

/** Returns the reason for a failure in one line. Paths of this machine are removed. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return [PEERS, tmpdir(), process.cwd()]
    .reduce((left, folder) => left.replaceAll(`${folder}/`, ""), text)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, MAX_WORDS)
}
