import { join } from "node:path"
import { GatewayError } from "../../canon/errors.ts"
import type { IdempotencySettings } from "../../config/settings.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { IdempotencyRecord } from "../../store/idempotency-records.ts"
import type { Store } from "../../store/store.ts"
import { incomingPieces, type Pace, USUAL_PACE } from "../incoming-body.ts"
import { newRequestId } from "../request-id.ts"
import type { Spool, SpooledBytes } from "../spool.ts"
import { encodingOf, refuseEncoding, unpackedPieces } from "../unpacked-body.ts"
import { AnswerFolder } from "./answer-folder.ts"
import { fromNeighbour, fromReader, fromStored } from "./answers.ts"
import { Claims } from "./claims.ts"
import {
  Fingerprints,
  IDEMPOTENCY_KEY,
  isForm,
  piecesOf,
  type ReadBody,
  readIdempotencyKey,
} from "./fingerprint.ts"
import { Neighbours } from "./neighbours.ts"
import type { RecordingReader } from "./recording.ts"
import { Run } from "./run.ts"

/** How long a key is remembered, milliseconds. */
const LIFETIME = 86_400_000
const SWEEP_EVERY = 3_600_000
/** Keys of one account in a day. Each takes some hundred bytes of the book. */
const MOST_KEYS = 1_000_000
/** How often it is looked whether a process that does not answer is dead by now, milliseconds. */
const LOOK_EVERY = 100
/** How long. It takes less until the others have noticed. */
const LOOK_FOR = 60_000
/** Bodies up to this many bytes are in memory anyway. */
const SMALL_BODY = 1024 * 1024
/** How long the last answers may take to be written when the gateway ends, milliseconds. */
const END_TIME = 5_000

/** A request that came with a key, and what is particular to its kind. */
export interface RepeatableRequest {
  readonly request: Request
  /** Whose key it is: the same key of somebody else is another one. */
  readonly scope: string
  /** Kept with the claim, for `admit`. */
  readonly rights: string
  /** The largest body that is read, in bytes. */
  readonly bodyLimit: number
  /** Takes what of the body is kept in memory. */
  readonly memory?: Reservation
  readonly pace?: Pace | undefined
  /** Answers it in earnest, once. It must not throw. */
  perform(request: Request, id: string): Promise<Response>
  /**
   * Whether a retry may have the answer.
   * @returns headers of its own.
   * @throws GatewayError
   */
  admit(claim: IdempotencyRecord, body: ReadBody): Promise<Readonly<Record<string, string>>>
  /**
   * Whether a request did what it was to do, so that it must not be done again.
   * @param status of its answer; absent of one whose process died.
   */
  isSettled(request: string, status?: number): Promise<boolean>
  /** What a retry is told when the answer is not there any more. */
  answerGone(request: string): GatewayError
}

export interface IdempotencyParts {
  readonly store: Store
  readonly node: string
  /** The folder of the installation. */
  readonly data: string
  readonly secret: string
  readonly spool: Spool
  readonly limits: () => IdempotencySettings
  /** Hears of answers that could not be kept. */
  readonly notKept: (request: string, error: unknown) => void
  /** Unix milliseconds. */
  readonly now?: () => number
}

/** A request whose body is here. */
interface Arrived {
  readonly order: RepeatableRequest
  readonly key: string
  readonly body: ReadBody
  readonly bytes: SpooledBytes
}

/** What became of the request that has the key. */
type Found = Response | "gone" | "unclear"

/**
 * Requests with an idempotency key: the first is performed, what comes with the same key gets its answer,
 * from the beginning and while it still comes, whichever process it reaches. Nothing is made before
 * somebody sends a key.
 */
export class Idempotency implements AsyncDisposable {
  readonly #parts: IdempotencyParts
  readonly #now: () => number
  readonly #runs = new Map<string, Run>()
  #opened: Opened | undefined

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  /** Requests that run. */
  get running(): number {
    return this.#runs.size
  }

  /**
   * Answers a request that has the header `idempotency-key`.
   * @param onRead called when its body is here.
   * @throws GatewayError `invalid_value`, `idempotency_key_reused`, `conflict`, `body_too_large`,
   * `too_many_attempts`, `overloaded`, `book_unavailable`, and what `admit` throws.
   */
  async answer(order: RepeatableRequest, onRead: () => void = () => {}): Promise<Response> {
    const { request } = order
    const opened = this.#open()
    const key = opened.fingerprints.ofKey(readIdempotencyKey(request.headers))
    await using bytes = await keep(this.#parts.spool, order)
    onRead()
    const body = await opened.fingerprints.ofRequest(request, bytes)
    return await this.#claim({ order, key, body, bytes }, opened)
  }

  /** Ends all that runs: the gateway does. */
  end(): void {
    for (const run of this.#runs.values()) run.abandon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, END_TIME)
    const isOver = Promise.all([...this.#runs.values()].map((run) => run.isOver))
    await Promise.race([isOver, patience.promise])
    clearTimeout(timer)
    clearInterval(this.#opened?.timer)
    await this.#opened?.neighbours[Symbol.asyncDispose]()
  }

  async #claim(arrived: Arrived, opened: Opened): Promise<Response> {
    const { order, body } = arrived
    const id = newRequestId()
    const giveUpAt = performance.now() + LOOK_FOR
    let own: Readonly<Record<string, string>> | undefined
    let replaces: string | null = null
    let wasUnclear = false
    for (;;) {
      const run = this.#newRun(id, order, opened)
      const reader = run.recording.join()
      const claim = await this.#tryClaim(arrived, id, replaces)
      if (claim.request === id && reader) return await this.#first(run, reader, arrived)
      this.#runs.delete(id)
      if (claim.fingerprint !== body.fingerprint) throw keyReused()
      own ??= await order.admit(claim, body)
      const found = await this.#find(claim, order, wasUnclear)
      if (found instanceof Response) return repeated(found, own)
      if (found === "gone") replaces = claim.request
      else if (performance.now() > giveUpAt || order.request.signal.aborted) throw unreachable()
      else if (wasUnclear) await Bun.sleep(LOOK_EVERY)
      wasUnclear = true
    }
  }

  async #tryClaim({ order, key, body }: Arrived, id: string, replaces: string | null) {
    const { node } = this.#parts
    const { scope, rights } = order
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
        expired: at - LIFETIME,
        replaces,
        mostKeys: MOST_KEYS,
      })
    } catch (error) {
      this.#runs.delete(id)
      throw new GatewayError(
        "book_unavailable",
        "The idempotency key could not be written down, so the request was not begun. Try again.",
        { cause: error },
      )
    }
    if (claim) return claim
    this.#runs.delete(id)
    throw tooManyKeys()
  }

  #newRun(id: string, order: RepeatableRequest, { claims, folder }: Opened): Run {
    const { limits, notKept } = this.#parts
    const run = new Run({
      id,
      claims,
      folder,
      limits: limits(),
      isSettled: (status) => order.isSettled(id, status),
      onOver: () => this.#runs.delete(id),
      onFailure: (error) => notKept(id, error),
    })
    this.#runs.set(id, run)
    return run
  }

  /** Performs the request. Its caller is a reader like those who come later. */
  async #first(run: Run, reader: RecordingReader, { order, bytes }: Arrived): Promise<Response> {
    const { request } = order
    const own = await again(request, bytes, run.signal)
    const performed = order.perform(own, run.id)
    const answer = fromReader(reader, request.signal)
    // The caller may have left before; the body has to stay for the others, who are told the same.
    answer.catch(() => {})
    await run.follow(performed)
    return await answer
  }

  /** The answer of the request that has the key, or what is known of it. */
  async #find(
    claim: IdempotencyRecord,
    order: RepeatableRequest,
    wasUnclear: boolean,
  ): Promise<Found> {
    const { node, store } = this.#parts
    const { request } = claim
    if (claim.state === "kept") return await this.#replay(request, order)
    const run = this.#runs.get(request)
    if (run) return await this.#attach(run, order)
    if (claim.node !== node) {
      const { signal } = order.request
      const answer = await this.#open().neighbours.ask(claim.node, request, signal)
      if (typeof answer === "object") return fromNeighbour(answer)
      const isAlive = (await store.listNodes()).some(({ id }) => id === claim.node)
      if (isAlive && answer === "unreachable") return "unclear"
    }
    // It may just have ended: what is written of it now is the last word.
    if (!wasUnclear) return "unclear"
    return await this.#afterDeath(claim, order)
  }

  async #attach(run: Run, order: RepeatableRequest): Promise<Found> {
    const reader = run.recording.join()
    if (reader) return await fromReader(reader, order.request.signal)
    if (run.recording.isTooLarge) throw order.answerGone(run.id)
    await run.isOver
    return "unclear"
  }

  async #replay(request: string, order: RepeatableRequest): Promise<Response> {
    const stored = await this.#open().folder.open(request)
    if (!stored) throw order.answerGone(request)
    return await fromStored(stored)
  }

  /** Nobody runs it any more: the book says whether it may run again. */
  async #afterDeath(claim: IdempotencyRecord, order: RepeatableRequest): Promise<Found> {
    const { request, state } = claim
    const isDone = state === "done" || (await order.isSettled(request))
    if (!isDone) {
      await this.#open().folder.remove(request)
      return "gone"
    }
    const stored = await this.#open().folder.open(request)
    if (!stored) throw order.answerGone(request)
    await this.#keep(request, stored.size)
    return await fromStored(stored)
  }

  /** Counts an answer that was written, and whose process died before it could say so. */
  async #keep(request: string, size: number): Promise<void> {
    const { claims, folder } = this.#open()
    const { accountBytes: mostOfScope, totalBytes: mostOfAll } = this.#parts.limits()
    const { dropped } = await claims.keep({ request, size, mostOfScope, mostOfAll })
    for (const one of dropped) await folder.remove(one)
  }

  #open(): Opened {
    this.#opened ??= this.#make()
    return this.#opened
  }

  #make(): Opened {
    const { store, data, node, secret } = this.#parts
    const neighbours = new Neighbours({
      data,
      node,
      answer: async (request, caller) => {
        const reader = this.#runs.get(request)?.recording.join()
        return reader && (await fromReader(reader, caller))
      },
    })
    neighbours.listen()
    const timer = setInterval(() => void this.#sweep(), SWEEP_EVERY)
    timer.unref()
    const folder = new AnswerFolder(join(data, "answers"), secret)
    const fingerprints = new Fingerprints(secret)
    const opened = { neighbours, folder, claims: new Claims(store), fingerprints, timer }
    setImmediate(() => void this.#sweep())
    return opened
  }

  /** Forgets what is older than a day. */
  async #sweep(): Promise<void> {
    const { store, notKept } = this.#parts
    const expired = this.#now() - LIFETIME
    try {
      const { folder, neighbours } = this.#open()
      for (;;) {
        const requests = await store.sweepIdempotencyKeys(expired)
        if (requests.length === 0) break
        for (const request of requests) await folder.remove(request)
      }
      await folder.sweep(expired - SWEEP_EVERY)
      await neighbours.sweep(new Set((await store.listNodes()).map(({ id }) => id)))
    } catch (error) {
      notKept("", error)
    }
  }
}

/** What is made when the first key comes. */
interface Opened {
  readonly neighbours: Neighbours
  readonly folder: AnswerFolder
  readonly claims: Claims
  readonly fingerprints: Fingerprints
  readonly timer: Timer
}

/** The whole body, on disk where it is long. */
async function keep(spool: Spool, order: RepeatableRequest): Promise<SpooledBytes> {
  const { request, bodyLimit, memory, pace = USUAL_PACE } = order
  const check = (size: number): void => {
    if (size <= bodyLimit) return
    const megabytes = (bodyLimit / 1024 / 1024).toFixed(bodyLimit < 1024 * 1024 ? 3 : 0)
    throw new GatewayError("body_too_large", `The body is larger than ${megabytes} MB.`)
  }
  check(Number(request.headers.get("content-length") ?? 0))
  const encoding = packingOf(request.headers)
  const incoming = incomingPieces(request, pace)
  const pieces = encoding === undefined ? incoming : unpackedPieces(incoming, encoding, memory)
  try {
    return await spool.keep(pieces, { check, memory })
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError("invalid_value", "The body ended before it was whole.", { cause: error })
  }
}

/** Forms come as they are. @throws GatewayError `unsupported_media_type` */
function packingOf(headers: Headers): string | undefined {
  if (!isForm(headers)) return encodingOf(headers)
  refuseEncoding(headers)
  return undefined
}

/** The request as it came, unpacked, for whoever performs it: its caller is all who wait for the answer. */
async function again(request: Request, bytes: SpooledBytes, signal: AbortSignal): Promise<Request> {
  const { url, method } = request
  const headers = new Headers(request.headers)
  if (headers.has("content-encoding")) {
    headers.delete("content-encoding")
    headers.set("content-length", String(bytes.size))
  }
  if (bytes.size <= SMALL_BODY) {
    const body = bytes.size === 0 ? null : await bytes.read(0, bytes.size)
    return new Request(url, { method, headers, body, signal })
  }
  // A long form that tells its length may be answered under another id, before all of it has come.
  if (isForm(headers)) headers.delete("content-length")
  const pieces = piecesOf(bytes)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Request(url, { method, headers, body, signal })
}

/** With what says that it is not the first. */
function repeated(answer: Response, own: Readonly<Record<string, string>>): Response {
  answer.headers.set("idempotent-replayed", "true")
  for (const [name, value] of Object.entries(own)) answer.headers.set(name, value)
  return answer
}

function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This idempotency key was used for another request: its endpoint, its body or a header that changes its meaning differs. Send a new key with a new request, and the same key only with the very same one.",
    { parameter: IDEMPOTENCY_KEY },
  )
}

function tooManyKeys(): GatewayError {
  return new GatewayError(
    "too_many_attempts",
    `More than ${MOST_KEYS} idempotency keys were used in 24 hours. Send the request without one, or later.`,
    { parameter: IDEMPOTENCY_KEY },
  )
}

function unreachable(): GatewayError {
  return new GatewayError(
    "overloaded",
    "The first request with this idempotency key still runs in a process that does not answer. Try again with the same key.",
    { parameter: IDEMPOTENCY_KEY },
  )
}
