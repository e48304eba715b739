import { hostname } from "node:os"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import type { OtlpProtocol } from "../config/telemetry-environment.ts"
import { VERSION } from "../runtime.ts"
import { fetchInSteps } from "../wire/http/fetched.ts"
import { SCOPE } from "./names.ts"
import type { Source } from "./span.ts"

const CONTENT_TYPES: Readonly<Record<OtlpProtocol, string>> = {
  "http/protobuf": "application/x-protobuf",
  "http/json": "application/json",
}

/**
 * Creates a client for one signal.
 * @param path the path of the signal.
 */
export function clientOf(
  { endpoint, protocol, headers }: TelemetrySettings,
  path: "/v1/traces" | "/v1/metrics",
): OtlpClient {
  return new OtlpClient({
    url: endpoint + path,
    headers: {
      "user-agent": `tollgate/${VERSION}`,
      ...headers,
      "content-type": CONTENT_TYPES[protocol],
    },
  })
}

/** Identifies the service and this process. */
export function sourceOf({ serviceName, resource }: TelemetrySettings): Source {
  return {
    resource: resourceFromAttributes({
      "host.name": hostname(),
      "service.instance.id": Bun.randomUUIDv7(),
      "service.version": VERSION,
      ...resource,
      "service.name": serviceName,
    }),
    instrumentationScope: { name: SCOPE, version: VERSION },
  }
}

/** Maximum time for one attempt, including the response. */
const TIMEOUT_MS = 10_000
/** Maximum attempts per batch. */
const MAX_ATTEMPTS = 4
/** Delay before the second attempt. Each further delay is twice as long. */
const FIRST_RETRY_DELAY_MS = 1_000
/** Maximum delay that a collector can request. */
const MAX_RETRY_DELAY_MS = 30_000
/** Maximum bytes that are read from a response. It contains a count and a line of text. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** HTTP statuses after which a batch is sent again. @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

interface OtlpClientParts {
  /** The address, including the path of the signal. */
  readonly url: string
  /** Headers, including the content type. Values may be secret. */
  readonly headers: Readonly<Record<string, string>>
}

/** Thrown when the collector did not accept a batch. */
class CollectorError extends Error {
  override readonly name = "CollectorError"
  readonly isPassing: boolean
  /** The delay that the collector requests, in milliseconds. */
  readonly pause: number | undefined

  constructor(
    message: string,
    { isPassing = false, pause }: { isPassing?: boolean; pause?: number | undefined } = {},
  ) {
    super(message)
    this.isPassing = isPassing
    this.pause = pause
  }
}

/**
 * Sends batches to a collector over HTTP. The time of each attempt, the number of attempts and the bytes read are
 * limited. Redirects are not followed.
 */
class OtlpClient {
  readonly #parts: OtlpClientParts
  readonly #ending = new AbortController()

  constructor(parts: OtlpClientParts) {
    this.#parts = parts
  }

  /**
   * Sends a batch, with retries if necessary.
   * @returns the body of the response, up to the size limit.
   * @throws CollectorError if the collector did not accept the batch.
   */
  async send(batch: Uint8Array): Promise<Uint8Array> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#post(batch)
      } catch (thrown) {
        const error = failureOf(thrown)
        if (!error.isPassing || tries >= MAX_ATTEMPTS || this.#ending.signal.aborted) throw error
        await this.#pause(error.pause ?? FIRST_RETRY_DELAY_MS * 2 ** (tries - 1))
      }
    }
  }

  /** Waits up to this time until the running attempts end, and then aborts them. Failed batches are not retried. */
  async endIn(milliseconds: number, finished: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.#ending.abort(), milliseconds)
    await finished
    clearTimeout(timer)
  }

  async #post(batch: Uint8Array): Promise<Uint8Array> {
    const { url, headers } = this.#parts
    const response = await fetchInSteps(url, {
      method: "POST",
      headers,
      body: batch,
      redirect: "manual",
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const beginning = await beginningOf(response)
    if (response.ok) return beginning
    throw new CollectorError(`the collector answered with status ${response.status}`, {
      isPassing: RETRYABLE.has(response.status),
      pause: pauseOf(response.headers.get("retry-after")),
    })
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#ending
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    const end = (): void => resolve()
    signal.addEventListener("abort", end)
    await promise
    clearTimeout(timer)
    signal.removeEventListener("abort", end)
  }
}

async function beginningOf({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= MAX_RESPONSE_BYTES) break
  }
  return Buffer.concat(chunks)
}

/** Reads the seconds of a `Retry-After` header. Dates are not supported. */
function pauseOf(retryAfter: string | null): number | undefined {
  const seconds = retryAfter === null || retryAfter === "" ? Number.NaN : Number(retryAfter)
  return seconds >= 0 ? Math.min(seconds * 1_000, MAX_RETRY_DELAY_MS) : undefined
}

/** Converts an error to a `CollectorError`. Attempts that failed to connect may be repeated. */
function failureOf(thrown: unknown): CollectorError {
  if (thrown instanceof CollectorError) return thrown
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new CollectorError(`the collector cannot be reached: ${reason}`, { isPassing: true })
}
