import { join } from "node:path"
import { GatewayError } from "../../canon/errors.ts"
import type { IdempotencySettings } from "../../config/settings.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import type { Store } from "../../store/store.ts"
import { newRequestId } from "../request-id.ts"
import type { Spool } from "../uploads/spool.ts"
import type { SpooledBytes } from "../uploads/spooled-bytes.ts"
import { AnswerFolder } from "./answer-folder.ts"
import { fromNeighbour, fromReader, fromStored } from "./answers.ts"
import { Claims } from "./claims.ts"
import { Fingerprints, type ReadBody, readIdempotencyKey } from "./fingerprint.ts"
import { Neighbours } from "./neighbours.ts"
import type { RecordingReader } from "./recording.ts"
import { keyReused, tooManyKeys, unreachable } from "./refusals.ts"
import type { RepeatableRequest } from "./repeatable-request.ts"
import { keepBody, requestAgain } from "./request-body.ts"
import { Run } from "./run.ts"

/** How long a key is remembered, milliseconds. */
const LIFETIME = 86_400_000
const SWEEP_EVERY = 3_600_000
/** Keys of one account in a day. Each takes some hundred bytes of the ledger. */
const MAX_KEYS = 1_000_000
/** How often it is looked whether a process that does not answer is dead by now, milliseconds. */
const LOOK_EVERY = 100
/** How long. It takes less until the others have noticed. */
const LOOK_FOR = 60_000
/** How long the last answers may take to be written when the gateway ends, milliseconds. */
const END_TIME = 5_000

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
  readonly input: RepeatableRequest
  readonly key: string
  readonly body: ReadBody
  readonly bytes: SpooledBytes
}

/** What became of the request that has the key. */
type Found = Response | "gone" | "unclear"

/**
 * Requests with an idempotency key: the first is performed, what comes with the same key gets its answer,
 * from the beginning and while it still comes, whichever process it reaches. Nothing is made before
 * someone sends a key.
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
  async answer(input: RepeatableRequest, onRead: () => void = () => {}): Promise<Response> {
    const { request } = input
    const opened = this.#open()
    const key = opened.fingerprints.ofKey(readIdempotencyKey(request.headers))
    await using bytes = await keepBody(this.#parts.spool, input)
    onRead()
    const body = await opened.fingerprints.ofRequest(request, bytes)
    return await this.#claim({ input, key, body, bytes }, opened)
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
    const { input, body } = arrived
    const id = newRequestId()
    const giveUpAt = performance.now() + LOOK_FOR
    let own: Readonly<Record<string, string>> | undefined
    let replaces: string | null = null
    let wasUnclear = false
    for (;;) {
      const run = this.#newRun(id, input, opened)
      const reader = run.recording.join()
      const claim = await this.#tryClaim(arrived, id, replaces)
      if (claim.request === id && reader) return await this.#first(run, reader, arrived)
      this.#runs.delete(id)
      if (claim.fingerprint !== body.fingerprint) throw keyReused()
      own ??= await input.admit(claim, body)
      const found = await this.#find(claim, input, wasUnclear)
      if (found instanceof Response) return repeated(found, own)
      if (found === "gone") replaces = claim.request
      else if (performance.now() > giveUpAt || input.request.signal.aborted) throw unreachable()
      else if (wasUnclear) await Bun.sleep(LOOK_EVERY)
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
        expired: at - LIFETIME,
        replaces,
        maxKeys: MAX_KEYS,
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
    throw tooManyKeys(MAX_KEYS)
  }

  #newRun(id: string, input: RepeatableRequest, { claims, folder }: Opened): Run {
    const { limits, notKept } = this.#parts
    const run = new Run({
      id,
      claims,
      folder,
      limits: limits(),
      isSettled: (status) => input.isSettled(id, status),
      onOver: () => this.#runs.delete(id),
      onFailure: (error) => notKept(id, error),
    })
    this.#runs.set(id, run)
    return run
  }

  /** Performs the request. Its caller is a reader like those who come later. */
  async #first(run: Run, reader: RecordingReader, { input, bytes }: Arrived): Promise<Response> {
    const { request } = input
    const own = await requestAgain(request, bytes, run.signal)
    const performed = input.perform(own, run.id)
    const answer = fromReader(reader, request.signal)
    // The caller may have left before; the body has to stay for the others, who are told the same.
    answer.catch(() => {})
    await run.follow(performed)
    return await answer
  }

  /** The answer of the request that has the key, or what is known of it. */
  async #find(
    claim: IdempotencyRecord,
    input: RepeatableRequest,
    wasUnclear: boolean,
  ): Promise<Found> {
    const { node, store } = this.#parts
    const { request } = claim
    if (claim.state === "kept") return await this.#replay(request, input)
    const run = this.#runs.get(request)
    if (run) return await this.#attach(run, input)
    if (claim.node !== node) {
      const { signal } = input.request
      const answer = await this.#open().neighbours.ask(claim.node, request, signal)
      if (typeof answer === "object") return fromNeighbour(answer)
      const isAlive = (await store.nodes.list()).some(({ id }) => id === claim.node)
      if (isAlive && answer === "unreachable") return "unclear"
    }
    // It may just have ended: what is written of it now is the last word.
    if (!wasUnclear) return "unclear"
    return await this.#afterDeath(claim, input)
  }

  async #attach(run: Run, input: RepeatableRequest): Promise<Found> {
    const reader = run.recording.join()
    if (reader) return await fromReader(reader, input.request.signal)
    if (run.recording.isTooLarge) throw input.answerGone(run.id)
    await run.isOver
    return "unclear"
  }

  async #replay(request: string, input: RepeatableRequest): Promise<Response> {
    const stored = await this.#open().folder.open(request)
    if (!stored) throw input.answerGone(request)
    return await fromStored(stored)
  }

  /** No one runs it any more: the ledger says whether it may run again. */
  async #afterDeath(claim: IdempotencyRecord, input: RepeatableRequest): Promise<Found> {
    const { request, state } = claim
    const isDone = state === "done" || (await input.isSettled(request))
    if (!isDone) {
      await this.#open().folder.remove(request)
      return "gone"
    }
    const stored = await this.#open().folder.open(request)
    if (!stored) throw input.answerGone(request)
    await this.#keep(request, stored.size)
    return await fromStored(stored)
  }

  /** Counts an answer that was written, and whose process died before it could say so. */
  async #keep(request: string, size: number): Promise<void> {
    const { claims, folder } = this.#open()
    const { accountBytes: maxOfScope, totalBytes: maxOfAll } = this.#parts.limits()
    const { dropped } = await claims.keep({ request, size, maxOfScope, maxOfAll })
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
        const requests = await store.idempotency.sweep(expired)
        if (requests.length === 0) break
        for (const request of requests) await folder.remove(request)
      }
      await folder.sweep(expired - SWEEP_EVERY)
      await neighbours.sweep(new Set((await store.nodes.list()).map(({ id }) => id)))
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

/** With what says that it is not the first. */
function repeated(answer: Response, own: Readonly<Record<string, string>>): Response {
  answer.headers.set("idempotent-replayed", "true")
  for (const [name, value] of Object.entries(own)) answer.headers.set(name, value)
  return answer
}
