import { waitAtMost } from "../../canon/wait-at-most.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import { newRequestId } from "../request-id.ts"
import type { Spool } from "../uploads/spool.ts"
import type { SpooledBytes } from "../uploads/spooled-bytes.ts"
import { fromReader } from "./responses.ts"
import { IDEMPOTENCY_KEY, type ReadBody, readIdempotencyKey } from "./fingerprint.ts"
import { type KeptResponseParts, KeptResponses, LIFETIME_MS } from "./kept-responses.ts"
import type { RecordingReader } from "./recording.ts"
import type { RepeatableRequest } from "./repeatable-request.ts"
import { keepBody, requestAgain } from "./request-body.ts"
import { Run } from "./run.ts"

/** Maximum keys per account per day. Each key takes a few hundred bytes of the ledger. */
const MAX_KEYS_PER_DAY = 1_000_000
/** Interval of checks for whether an unresponsive process has died. */
const POLL_INTERVAL_MS = 100
/** Maximum duration of these checks. Other processes detect a dead process sooner. */
const POLL_TIMEOUT_MS = 60_000
/** Duration of a lookup after which the response to a completed request counts as lost. */
const STORE_TIMEOUT_MS = 5_000
/** Maximum time for writing the remaining responses at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 5_000

export interface IdempotencyParts extends Omit<KeptResponseParts, "now" | "runs"> {
  readonly spool: Spool
  /** Returns the current time in Unix milliseconds. */
  readonly now?: () => number
}

/** A request whose body is complete. */
interface Arrived {
  readonly input: RepeatableRequest
  readonly key: string
  readonly body: ReadBody
  readonly bytes: SpooledBytes
}

/**
 * Handles requests with an idempotency key. The first request with a key is performed. Each repetition receives the
 * complete response to the first request, in any process and even while that request is in progress. Resources are
 * opened when the first key arrives.
 */
export class Idempotency implements AsyncDisposable {
  readonly #parts: IdempotencyParts
  readonly #now: () => number
  readonly #runs = new Map<string, Run>()
  readonly #ending = new AbortController()
  /** Opened when the first key arrives. */
  #kept: KeptResponses | undefined

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  get running(): number {
    return this.#runs.size
  }

  /** Whether a request with an idempotency key is running in this process. */
  isRunning(request: string): boolean {
    return this.#runs.has(request)
  }

  /**
   * Responds to a request with the header `idempotency-key`.
   * @param onRead called when the body is complete.
   * @throws GatewayError `invalid_value`, `idempotency_key_reused`, `conflict`, `body_too_large`, `too_many_attempts`,
   *   `overloaded`, `ledger_unavailable`, and the errors of `admit`.
   */
  async respond(input: RepeatableRequest, onRead: () => void = () => {}): Promise<Response> {
    const { request } = input
    const { fingerprints } = this.#open()
    const key = fingerprints.ofKey(readIdempotencyKey(request.headers))
    await using bytes = await keepBody(this.#parts.spool, input)
    onRead()
    const body = await fingerprints.ofRequest(request, bytes)
    return await this.#claim({ input, key, body, bytes })
  }

  /** Abandons all running requests at shutdown. */
  end(): void {
    for (const run of this.#runs.values()) run.abandon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
    const isOver = Promise.all([...this.#runs.values()].map((run) => run.isOver))
    await waitAtMost(isOver, SHUTDOWN_TIMEOUT_MS)
    this.#ending.abort()
    await this.#kept?.[Symbol.asyncDispose]()
  }

  async #claim(arrived: Arrived): Promise<Response> {
    const { input, body } = arrived
    const id = newRequestId()
    const giveUpAt = performance.now() + POLL_TIMEOUT_MS
    let own: Readonly<Record<string, string>> | undefined
    let replaces: string | null = null
    let wasUnclear = false
    const startedAt = performance.now()
    for (;;) {
      const run = this.#newRun(id, input)
      const reader = run.recording.join()
      const claim = await this.#tryClaim(arrived, id, replaces)
      if (claim.request === id && reader) return await this.#first(run, reader, arrived)
      this.#runs.delete(id)
      if (claim.fingerprint !== body.fingerprint) throw keyReused()
      own ??= await input.admit(claim, body)
      const isLost = claim.state === "done" && performance.now() - startedAt > STORE_TIMEOUT_MS
      const found = await this.#open().find(claim, input, { wasUnclear, isLost })
      if (found instanceof Response) return repeated(found, own)
      if (found === "gone") replaces = claim.request
      else if (performance.now() > giveUpAt || input.request.signal.aborted) throw unreachable()
      else if (wasUnclear) await Bun.sleep(POLL_INTERVAL_MS)
      wasUnclear = true
    }
  }

  async #tryClaim({ input, key, body }: Arrived, id: string, replaces: string | null) {
    const { node } = this.#parts
    const { scope, rights } = input
    const at = this.#now()
    let claim: IdempotencyRecord | null
    try {
      claim = await this.#open().claims.claim({
        scope,
        key,
        fingerprint: body.fingerprint,
        request: id,
        node,
        at,
        rights,
        expired: at - LIFETIME_MS,
        replaces,
        maxKeys: MAX_KEYS_PER_DAY,
      })
    } catch (error) {
      this.#runs.delete(id)
      throw new GatewayError(
        "ledger_unavailable",
        "The idempotency key could not be recorded, so the request was not started. Try again.",
        { cause: error },
      )
    }
    if (claim) return claim
    this.#runs.delete(id)
    throw tooManyKeys()
  }

  #newRun(id: string, input: RepeatableRequest): Run {
    const { limits, notKept } = this.#parts
    const { claims, folder } = this.#open()
    const run = new Run({
      id,
      claims,
      folder,
      limits: limits(),
      isSettled: (status) => input.isSettled(id, status),
      onOver: () => this.#runs.delete(id),
      onFailure: (error) => notKept(id, error),
      ending: this.#ending.signal,
    })
    this.#runs.set(id, run)
    return run
  }

  /** Performs the request. Its caller reads the recording in the same way as repetitions do. */
  async #first(run: Run, reader: RecordingReader, { input, bytes }: Arrived): Promise<Response> {
    const { request } = input
    const own = await requestAgain(request, bytes, run.signal)
    const performed = input.perform(own, run.id)
    const response = fromReader(reader, request.signal, input)
    // Prevents an unhandled rejection. The response may fail before it is awaited, if its bytes are no longer
    // available.
    response.catch(() => {})
    await run.follow(performed)
    return await response
  }

  #open(): KeptResponses {
    this.#kept ??= new KeptResponses({ ...this.#parts, now: this.#now, runs: this.#runs })
    return this.#kept
  }
}

/** Marks a response as repeated. */
function repeated(response: Response, own: Readonly<Record<string, string>>): Response {
  response.headers.set("idempotent-replayed", "true")
  for (const [name, value] of Object.entries(own)) response.headers.set(name, value)
  return response
}

function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This idempotency key was used for another request with a different endpoint, body or relevant header. Send a new key with a new request, and the same key only with an identical one.",
    { parameter: IDEMPOTENCY_KEY },
  )
}

function tooManyKeys(): GatewayError {
  return new GatewayError(
    "too_many_attempts",
    `More than ${MAX_KEYS_PER_DAY} idempotency keys were used in 24 hours. Send the request without a key, or try again later.`,
    { parameter: IDEMPOTENCY_KEY },
  )
}

function unreachable(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The first request with this idempotency key is still running in a process that does not respond. Try again with the same key.",
    { parameter: IDEMPOTENCY_KEY },
  )
}
