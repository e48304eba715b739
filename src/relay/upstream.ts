import { GatewayError } from "../canon/errors.ts"
import type { JsonObject } from "../canon/json.ts"
import type { Deployment } from "../catalog/model.ts"
import type { DeadlineSettings, ProviderSettings } from "../config/settings.ts"
import type { Vendor } from "../vendors/vendor.ts"
import { canConnect } from "./connect-probe.ts"
import type { DeadlineWatch, Watched } from "./deadline-watch.ts"

/** A vendor's error body is read up to here, in bytes. */
const ERROR_BODY_LIMIT = 64 * 1024

/** A provider with everything that is the same for all its requests worked out. */
export interface Endpoint {
  readonly provider: string
  readonly vendor: Vendor
  readonly chatUrl: string
  readonly headers: Readonly<Record<string, string>>
}

/** Works out a provider's endpoint. */
export function endpointOf(id: string, provider: ProviderSettings, vendor: Vendor): Endpoint {
  const base = provider.baseUrl ?? vendor.baseUrl
  if (base === undefined) throw new Error(`provider ${id} has no address`)
  return {
    provider: id,
    vendor,
    chatUrl: base + vendor.chatPath,
    headers: {
      "content-type": "application/json",
      // Compressed frames would have to wait for each other.
      "accept-encoding": "identity",
      "user-agent": "tollgate",
      ...vendor.authorize(provider.apiKey),
      ...provider.headers,
    },
  }
}

/** The phases in which an upstream can be late. */
type Phase = "connect" | "firstByte" | "betweenBytes"

interface AttemptParts {
  readonly deployment: Deployment
  readonly endpoint: Endpoint
  readonly deadlines: DeadlineSettings
  readonly watch: DeadlineWatch
}

/**
 * One upstream call: its fetch, its deadlines, and the one way to end it early. Dispose it when the
 * answer is over.
 */
export class Attempt implements Watched, Disposable {
  readonly deployment: Deployment
  readonly endpoint: Endpoint
  readonly startedAt = Date.now()
  readonly #deadlines: DeadlineSettings
  readonly #watch: DeadlineWatch
  readonly #controller = new AbortController()
  #phase: Phase = "connect"
  /** Why the call was ended by us; undefined while it runs. */
  #ended: GatewayError | undefined
  dueAt: number

  constructor(parts: AttemptParts) {
    this.deployment = parts.deployment
    this.endpoint = parts.endpoint
    this.#deadlines = parts.deadlines
    this.#watch = parts.watch
    this.dueAt = this.startedAt + parts.deadlines.connect
    parts.watch.add(this)
  }

  /**
   * Sends the request.
   * @throws GatewayError `upstream_error`, `upstream_timeout`.
   */
  async send(body: JsonObject): Promise<Response> {
    try {
      const response = await fetch(this.endpoint.chatUrl, {
        method: "POST",
        headers: this.endpoint.headers,
        body: JSON.stringify(body),
        redirect: "manual",
        signal: this.#controller.signal,
      })
      this.#phase = "betweenBytes"
      this.heard()
      return response
    } catch (error) {
      throw this.explain(error)
    }
  }

  /** A byte came: the deadline between bytes starts anew. */
  heard(): void {
    const now = Date.now()
    this.dueAt = Math.min(
      now + this.#deadlines.betweenBytes,
      this.startedAt + this.#deadlines.whole,
    )
  }

  /** The caller reads slowly: until the next read the upstream owes nothing. */
  pause(): void {
    this.dueAt = this.startedAt + this.#deadlines.whole
  }

  /** Ends the call; what it was doing fails with `reason`. */
  end(reason: GatewayError): void {
    if (this.#ended) return
    this.#ended = reason
    this.#controller.abort()
  }

  onDue(now: number): void {
    if (now >= this.startedAt + this.#deadlines.whole) return this.#late("the whole answer")
    if (this.#phase === "connect") {
      this.#phase = "firstByte"
      this.dueAt = this.startedAt + this.#deadlines.firstByte
      void this.#probe()
      return
    }
    this.#late(this.#phase === "firstByte" ? "the first byte of its answer" : "the next bytes")
  }

  /** What a failure of the transport means: our own ending, or the vendor's. */
  explain(error: unknown): GatewayError {
    if (this.#ended) return this.#ended
    return new GatewayError(
      "upstream_error",
      `The connection to provider '${this.endpoint.provider}' failed. Nothing more was received. Try again.`,
      { cause: error },
    )
  }

  [Symbol.dispose](): void {
    this.#watch.remove(this)
  }

  #late(what: string): void {
    this.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${this.endpoint.provider}' did not send ${what} in time. Try again, or ask the operator for longer deadlines.`,
      ),
    )
  }

  /** `fetch` does not tell a slow answer from a dead address, so after a while we look ourselves. */
  async #probe(): Promise<void> {
    if (await canConnect(this.endpoint.chatUrl, this.#deadlines.connect)) return
    this.end(
      new GatewayError(
        "upstream_timeout",
        `Provider '${this.endpoint.provider}' cannot be reached. Try again later.`,
      ),
    )
  }
}

/** The error that a vendor's refusal is to us. */
export async function refusalOf(attempt: Attempt, response: Response): Promise<GatewayError> {
  const { vendor, provider } = attempt.endpoint
  if (response.status >= 300 && response.status < 400) {
    return new GatewayError(
      "upstream_error",
      `Provider '${provider}' answered with a redirect, which is never followed. The operator has to correct its base_url.`,
    )
  }
  const error = vendor.chat.decodeError(response.status, await readErrorBody(attempt, response))
  const retryAfter = retryAfterOf(response.headers)
  if (retryAfter === undefined) return error
  return new GatewayError(error.kind, error.message, { ...error.details, retryAfter })
}

async function readErrorBody(attempt: Attempt, response: Response): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece)
      size += piece.byteLength
      if (size > ERROR_BODY_LIMIT) break
    }
  } catch (error) {
    return attempt.explain(error).message
  }
  const text = Buffer.concat(pieces).toString("utf8")
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; seconds, at most an hour. */
function retryAfterOf(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN)
  const text = headers.get("retry-after")
  const seconds = Number.isFinite(milliseconds) ? milliseconds / 1000 : secondsOf(text)
  if (seconds === undefined || !Number.isFinite(seconds)) return undefined
  return Math.min(3_600, Math.max(0, Math.ceil(seconds)))
}

function secondsOf(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined
  const seconds = Number(text)
  return Number.isFinite(seconds) ? seconds : (Date.parse(text) - Date.now()) / 1000
}
