import { GatewayError } from "../canon/errors.ts"
import { OperatorCause } from "../wire/operator-cause.ts"
import type { ProviderErrorKind } from "../canon/provider-error-kinds.ts"
import { vendorRejection } from "../canon/vendor-error.ts"
import type { ProviderSettings } from "../config/settings.ts"
import { ServiceUnreachable } from "../vendors/credential-request.ts"
import type { RequestHeaders, Vendor } from "../vendors/vendor.ts"
import { proxyRejection, connectionErrorOf } from "../wire/http/connection-error.ts"
import { fetchInSteps } from "../wire/http/fetched.ts"
import { ERROR_LIMITS, LIST_LIMITS, modelsIn, probedBody } from "./probed-json.ts"
import { Connection } from "../wire/http/connection.ts"
import { isProxied } from "../wire/http/proxies.ts"

/** HTTP status that only proxies send. */
const PROXY_AUTHENTICATION = 407
/** Next steps by status, for statuses that all other requests would also receive. */
const FAILING_STATUSES: ReadonlyMap<number, string> = new Map([
  [408, "try again later"],
  [421, "correct its base_url"],
  [429, "try again later, or raise the limits of the account at the provider"],
  [451, "ask the provider which countries it serves"],
])
/** Maximum response time of a provider. */
const TIMEOUT_MS = 5_000

const UNREACHABLE_ADVICE =
  "check the network, and that the gateway runs on the machine that has the identity"

/** The result of a free request that requires the provider's credential. */
export interface ProbeFinding {
  readonly result: "ok" | "warning" | "failed"
  /** A description such as `it accepts the credential`. */
  readonly found: string
  /** Advice for fixing the problem. */
  readonly fix?: string
  /** The provider's clock minus the local clock in milliseconds; absent if the provider does not send its time. */
  readonly clockOffset?: number
  /** The status of the response, if there was one. */
  readonly status?: number
  /** Names of the listed models, if they were requested and the provider has a list. */
  readonly models?: ReadonlySet<string>
}

/**
 * Tests a provider's credential.
 * @param wantsModels whether to read the provider's model list.
 */
export async function probeProvider(
  provider: ProviderSettings,
  vendor: Vendor,
  wantsModels = false,
): Promise<ProbeFinding> {
  const probe = vendor.probe(provider)
  // If the vendor has no request for testing, the base URL is requested.
  const url =
    "url" in probe
      ? ((wantsModels ? probe.list : undefined) ?? probe.url)
      : (vendor.baseUrlOf(provider) ?? "")
  let signed: RequestHeaders
  try {
    signed = await vendor.signer(provider).sign({ url, body: "", method: "GET" })
  } catch (error) {
    // The credential has to be exchanged before use, and the exchange failed.
    if (!(error instanceof GatewayError)) throw error
    const { cause } = error.details
    if (cause instanceof ServiceUnreachable)
      return { result: "warning", found: cause.message, fix: UNREACHABLE_ADVICE }
    const found = cause instanceof OperatorCause ? cause.message : error.message
    return { result: "failed", found, fix: "correct its credentials" }
  }
  if ("known" in probe) return { result: "ok", found: probe.known }
  const headers = { ...vendor.chat[0]?.headers, ...signed, ...provider.headers }
  try {
    const response = await fetchInSteps(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const date = Date.parse(response.headers.get("date") ?? "")
    const clock = Number.isNaN(date) ? {} : { clockOffset: date - Date.now() }
    const finding = await validate(vendor, response, wantsModels)
    return { ...finding, status: response.status, ...clock }
  } catch (thrown) {
    return { result: "warning", ...(await unreachable(thrown, new URL(url))) }
  }
}

async function validate(
  vendor: Vendor,
  response: Response,
  wantsModels: boolean,
): Promise<ProbeFinding> {
  const { status } = response
  if (status === PROXY_AUTHENTICATION) {
    await response.body?.cancel()
    const fix = "put the user name and the password into HTTPS_PROXY and HTTP_PROXY"
    return {
      result: "warning",
      found: `it cannot be reached: ${proxyRejection(status).message}`,
      fix,
    }
  }
  const rejection = await accountError(vendor, response)
  if (rejection === "account") {
    const fix = "check the account's billing, limits and status at the provider"
    return { result: "failed", found: `it rejects the account (${status})`, fix }
  }
  if (rejection !== undefined) {
    const fix = "correct its api_key or other credential, or the variable it comes from"
    return { result: "failed", found: `it rejects the credential (${status})`, fix }
  }
  if (status >= 500) {
    return { result: "warning", found: `it answers with ${status}`, fix: "try again later" }
  }
  const advice = FAILING_STATUSES.get(status)
  if (advice !== undefined) {
    await response.body?.cancel()
    return { result: "warning", found: `it answers with ${status}`, fix: advice }
  }
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    const found = `it redirects${placeIn(response)} (${status}), which the gateway does not follow`
    return { result: "failed", found, fix: "correct its base_url" }
  }
  // Some vendors have no model list. The test is passed unless the credential is rejected.
  if (status !== 200) return { result: "ok", found: `reached (${status})` }
  const isJson = /\bjson\b/i.test(response.headers.get("content-type") ?? "")
  const found = "it accepts the credential"
  if (!wantsModels && isJson) {
    await response.body?.cancel()
    return { result: "ok", found }
  }
  const body = await probedBody(response, LIST_LIMITS)
  if (body.type === "too_large") return TOO_LARGE
  if (body.type === "text" || typeof body.value !== "object") {
    const isPage = body.type === "text" && /^\s*</.test(body.text)
    const page = isPage ? "a web page" : "a body that is not JSON"
    return { result: "failed", found: `it answers with ${page}`, fix: "correct its base_url" }
  }
  const models = wantsModels ? modelsIn(body.value) : undefined
  return { result: "ok", found, ...(models && models.size > 0 && { models }) }
}

const TOO_LARGE: ProbeFinding = {
  result: "warning",
  found: "its list of models is too long to be read",
  fix: "correct its base_url, or list its models in the settings",
}

const ACCOUNT_ERRORS: ReadonlySet<ProviderErrorKind | undefined> = new Set<ProviderErrorKind>([
  "account",
  "credential",
  "permission",
  "forbidden",
])

/** Returns the error of the operator's account that a rejection reports, if there is one. */
async function accountError(
  vendor: Vendor,
  response: Response,
): Promise<ProviderErrorKind | undefined> {
  const { status, headers } = response
  if (status < 400 || status >= 500) return undefined
  const read = await probedBody(response, ERROR_LIMITS)
  const body = read.type === "json" ? read.value : read.type === "text" ? read.text : ""
  const { dialect } = vendor.chat[0] ?? {}
  const error = dialect?.decodeError(status, body, headers) ?? vendorRejection(status, {})
  const { providerError } = error.details
  return ACCOUNT_ERRORS.has(providerError) ? providerError : undefined
}

/** Returns the target of a redirect, without the parts of the address that may be secret. */
function placeIn({ headers, url }: Response): string {
  const target = URL.parse(headers.get("location") ?? "", url)
  return target === null || !target.protocol.startsWith("http") ? "" : ` to ${target.origin}`
}

/** Maximum duration of a handshake. */
const HANDSHAKE_TIMEOUT_MS = 5_000

/** The description of a provider that cannot be reached, and the next step. */
interface Unreachable {
  readonly found: string
  readonly fix: string
}

/**
 * Describes a failed request. After some failures a TLS handshake is made, whose error contains a reason,
 * or shows that the server expects TLS.
 */
async function unreachable(thrown: unknown, url: URL): Promise<Unreachable> {
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

/**
 * Error codes of connections that ended without a response. A server that expects TLS ends a connection in this way.
 */
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
  const timer = setTimeout(
    resolve,
    HANDSHAKE_TIMEOUT_MS,
    new DOMException("no handshake", "TimeoutError"),
  )
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
