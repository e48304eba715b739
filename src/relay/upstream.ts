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

/** What an upstream can be late with. */
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
  /** Unix milliseconds of the latest end, whatever the phase. */
  readonly #endsAt: number
  #phase: Phase = "connect"
  #ended: GatewayError | undefined
  dueAt: number

  constructor(parts: AttemptParts) {
    const { connect, firstByte, whole } = parts.deadlines
    this.deployment = parts.deployment
    this.endpoint = parts.endpoint
    this.#deadlines = parts.deadlines
    this.#watch = parts.watch
    this.#endsAt = this.startedAt + whole
    this.dueAt = this.startedAt + Math.min(connect, firstByte, whole)
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
      this.#phase = "firstByte"
      this.resume()
      return response
    } catch (error) {
      throw this.explain(error)
    }
  }

  /**
   * The whole body of an answer.
   * @throws GatewayError `upstream_error`, `upstream_timeout`.
   */
  async text(response: Response): Promise<string> {
    try {
      // Who knows the length has the answer; who does not may send white space while it thinks.
      // The header is asked first: a body that was touched is read the slow way.
      if (response.headers.has("content-length") || !response.body) {
        this.heard()
        return await response.text()
      }
      const decoder = new TextDecoder()
      let text = ""
      for await (const piece of response.body) {
        this.heard()
        text += decoder.decode(piece, { stream: true })
      }
      return text + decoder.decode()
    } catch (error) {
      throw this.explain(error)
    }
  }

  /** A byte came: the deadline between bytes starts anew. */
  heard(): void {
    this.#phase = "betweenBytes"
    this.resume()
  }

  /** The caller reads slowly: until the next read the upstream owes nothing. */
  pause(): void {
    this.#phase = "betweenBytes"
    this.dueAt = this.#endsAt
  }

  /** A read waits for the upstream. */
  resume(): void {
    const due =
      this.#phase === "betweenBytes"
        ? Date.now() + this.#deadlines.betweenBytes
        : this.startedAt + this.#deadlines.firstByte
    this.dueAt = Math.min(due, this.#endsAt)
  }

  /** Why the call was ended by us; undefined while it runs. */
  get ended(): GatewayError | undefined {
    return this.#ended
  }

  /** Ends the call; what it was doing fails with `reason`. */
  end(reason: GatewayError): void {
    if (this.#ended) return
    this.#ended = reason
    this.#controller.abort()
  }

  onDue(now: number): void {
    if (now >= this.#endsAt) return this.#late("the whole answer")
    if (this.#phase === "betweenBytes") return this.#late("the next bytes")
    if (now >= this.startedAt + this.#deadlines.firstByte) {
      return this.#late("the first byte of its answer")
    }
    this.resume()
    void this.#probe()
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
    const stands = await canConnect(this.endpoint.chatUrl, this.#deadlines.connect)
    // An answer that came meanwhile proves more than any look.
    if (stands || this.#phase !== "connect") return
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
  attempt.heard()
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

/** `retry-after-ms`, or `retry-after` in seconds or as a date; whole seconds, 1 to 3,600. */
function retryAfterOf(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN)
  const text = headers.get("retry-after")
  const seconds = Number.isFinite(milliseconds) ? milliseconds / 1000 : secondsOf(text)
  if (seconds === undefined || !Number.isFinite(seconds)) return undefined
  return Math.min(3_600, Math.max(1, Math.ceil(seconds)))
}

function secondsOf(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined
  const seconds = Number(text)
  return Number.isFinite(seconds) ? seconds : (Date.parse(text) - Date.now()) / 1000
}
