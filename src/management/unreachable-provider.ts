import { Connection } from "../wire/http/connection.ts"
import { connectionErrorOf } from "../wire/http/connection-error.ts"
import { isProxied } from "../wire/http/proxies.ts"

/** Maximum duration of a handshake. */
const TIMEOUT_MS = 5_000

/** The description of a provider that cannot be reached, and the next step. */
interface Unreachable {
  readonly found: string
  readonly fix: string
}

/**
 * Describes a failed request. After some failures a TLS handshake is made, whose error contains a reason,
 * or shows that the server expects TLS.
 */
export async function unreachable(thrown: unknown, url: URL): Promise<Unreachable> {
  const call = { isProxied: isProxied(url, process.env) }
  const { code, message } = connectionErrorOf(thrown, call)
  const place = call.isProxied ? "" : ` at ${url.host}`
  const finding = (words: string): Unreachable => ({
    found: `it cannot be reached${place}: ${words}`,
    fix: "check base_url, the network, and whether the server runs",
  })
  if (call.isProxied) return finding(message)
  if (url.protocol === "http:" && NO_RESPONSE.has(code)) {
    const words = "the server expects TLS on this port: write https:// instead of http://"
    return finding(isOfTls(await handshake(url)) ? words : message)
  }
  if (code !== "EPROTO") return finding(message)
  return finding(connectionErrorOf((await handshake(url)) ?? thrown, call).message)
}

/** Codes of connections that end without a response, as a server that expects TLS ends them. */
const NO_RESPONSE: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ConnectionClosed",
  "EPROTOCOL",
])

/** Whether the result of a handshake shows that the server uses TLS. */
function isOfTls(error: unknown): boolean {
  if (error === undefined) return true
  const { phase, message } = connectionErrorOf(error)
  return phase === "tls" && !message.includes("does not use TLS")
}

/** Makes a TLS handshake. @returns its error; undefined if it succeeds. */
async function handshake(url: URL): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, TIMEOUT_MS, new DOMException("no handshake", "TimeoutError"))
  const place = { hostname: url.hostname.replace(/^\[|\]$/g, ""), port: portOf(url) }
  const connection = new Connection(
    { ...place, isSecure: true },
    {
      onReady: () => resolve(undefined),
      onBytes: () => resolve(undefined),
      onClosed: (reason) => resolve(reason ?? new Error("closed during the handshake")),
    },
  )
  const error = await promise
  clearTimeout(timer)
  connection.destroy()
  return error
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "http:" ? 80 : 443)
}
