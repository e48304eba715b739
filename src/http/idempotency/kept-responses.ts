import { join } from "node:path"
import type { IdempotencySettings } from "../../config/settings.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import type { KeptFiles } from "../../store/kept-files.ts"
import { processOf } from "../../store/nodes.ts"
import type { Store } from "../../store/store.ts"
import { ResponseFolder } from "./response-folder.ts"
import { forNeighbour, fromNeighbour, fromReader, fromStored } from "./responses.ts"
import { Claims } from "./claims.ts"
import { Fingerprints } from "./fingerprint.ts"
import { Neighbours } from "./neighbours.ts"
import type { RepeatableRequest } from "./repeatable-request.ts"
import type { Run } from "./run.ts"

/** Lifetime of an idempotency key. */
export const LIFETIME_MS = 86_400_000
const SWEEP_INTERVAL_MS = 3_600_000

export interface KeptResponseParts {
  readonly store: Store
  readonly node: string
  /** The data folder of the installation. */
  readonly data: string
  readonly secret: string
  /** The store of responses. */
  readonly files: KeptFiles
  readonly limits: () => IdempotencySettings
  /** Reports responses that could not be stored. */
  readonly notKept: (request: string, error: unknown) => void
  /** Returns the current time in Unix milliseconds. */
  readonly now: () => number
  /** The running requests of this process, by request id. */
  readonly runs: ReadonlyMap<string, Run>
}

/**
 * The response to the request that holds a key. `gone`: the request ended without an effect. `unclear`: the claim must
 * be looked up again.
 */
export type Found = Response | "gone" | "unclear"

/** Finds the responses of requests with keys: in this process, in another process, or in the store. */
export class KeptResponses implements AsyncDisposable {
  readonly claims: Claims
  readonly folder: ResponseFolder
  readonly fingerprints: Fingerprints
  readonly #parts: KeptResponseParts
  readonly #neighbours: Neighbours
  readonly #timer: Timer

  constructor(parts: KeptResponseParts) {
    const { store, data, node, secret, files, runs } = parts
    this.#parts = parts
    this.#neighbours = new Neighbours({
      data,
      node,
      respond: async (request, caller) => {
        const reader = runs.get(request)?.recording.join()
        return reader && (await forNeighbour(reader, caller))
      },
    })
    this.#neighbours.listen()
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_INTERVAL_MS)
    this.#timer.unref()
    this.folder = new ResponseFolder(join(data, "responses"), secret, files)
    this.claims = new Claims(store)
    this.fingerprints = new Fingerprints(secret)
    setImmediate(() => void this.#sweep())
  }

  /**
   * Finds the response to the request that holds the key.
   * @param looks With `wasUnclear`, this is a second lookup, so the stored state of a request without a process is
   *   final. With `isLost`, so much time has passed that the response would have been stored by now.
   * @throws GatewayError `responseGone` of the request.
   */
  async find(
    claim: IdempotencyRecord,
    input: RepeatableRequest,
    { wasUnclear, isLost }: { readonly wasUnclear: boolean; readonly isLost: boolean },
  ): Promise<Found> {
    const { node, store, runs } = this.#parts
    const { request } = claim
    if (claim.state === "kept") return await this.#replay(request, input)
    const run = runs.get(request)
    if (run) return await attach(run, input)
    if (claim.node !== node) {
      const { signal } = input.request
      const response = await this.#neighbours.ask(claim.node, request, signal)
      if (typeof response === "object") return fromNeighbour(response, input)
      const isAlive = (await store.nodes.list()).some(({ id }) => processOf(id) === claim.node)
      // The request may be running on another machine.
      if (isAlive && response === "unreachable" && !isLost) return "unclear"
    }
    // The request may have ended a moment ago.
    if (!wasUnclear) return "unclear"
    return await this.#afterDeath(claim, input)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#neighbours[Symbol.asyncDispose]()
  }

  async #replay(request: string, input: RepeatableRequest): Promise<Response> {
    const stored = await this.folder.open(request)
    if (!stored) throw input.responseGone(request)
    return await fromStored(stored, input)
  }

  /** Handles a request whose process has died. The ledger determines whether it may run again. */
  async #afterDeath(claim: IdempotencyRecord, input: RepeatableRequest): Promise<Found> {
    const { request, state } = claim
    const isDone = state === "done" || (await input.isSettled(request))
    if (!isDone) {
      await this.folder.remove(request)
      return "gone"
    }
    const stored = await this.folder.open(request)
    if (!stored) throw input.responseGone(request)
    await this.#count(request, stored.size)
    return await fromStored(stored, input)
  }

  /** Records the response of a process that died before it could record the response itself. */
  async #count(request: string, size: number): Promise<void> {
    const { accountBytes: maxOfScope, totalBytes: maxOfAll } = this.#parts.limits()
    const { dropped } = await this.claims.keep({ request, size, maxOfScope, maxOfAll })
    for (const one of dropped) await this.folder.remove(one)
  }

  /** Deletes claims and responses older than a day. */
  async #sweep(): Promise<void> {
    const { store, notKept, now } = this.#parts
    const expired = now() - LIFETIME_MS
    try {
      for (;;) {
        const requests = await store.idempotency.sweep(expired)
        if (requests.length === 0) break
        for (const request of requests) await this.folder.remove(request)
      }
      await this.folder.sweep(expired - SWEEP_INTERVAL_MS)
      await this.#neighbours.sweep(
        new Set((await store.nodes.list()).map(({ id }) => processOf(id))),
      )
    } catch (error) {
      notKept("", error)
    }
  }
}

async function attach(run: Run, input: RepeatableRequest): Promise<Found> {
  const reader = run.recording.join()
  if (reader) return await fromReader(reader, input.request.signal, input)
  if (run.recording.isTooLarge) throw input.responseGone(run.id)
  await run.isOver
  return "unclear"
}
