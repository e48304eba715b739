import type { IdempotencySettings } from "../../config/settings.ts"
import type { Ending } from "./response-file.ts"
import type { ResponseFolder } from "./response-folder.ts"
import type { Claims } from "./claims.ts"
import { Recording } from "./recording.ts"

export interface RunParts {
  readonly id: string
  readonly claims: Claims
  readonly folder: ResponseFolder
  readonly limits: IdempotencySettings
  /**
   * Whether the request took effect.
   * @param status HTTP status of its response.
   */
  readonly isSettled: (status: number) => Promise<boolean>
  readonly onOver: () => void
  readonly onFailure: (error: unknown) => void
  /** Aborted at shutdown. */
  readonly ending: AbortSignal
}

/** The last chunk of a body, and how the body ended. */
interface Last {
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly ending: Ending
}

type Body = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** The single execution of a request with a key. It forwards its response to all waiting callers. */
export class Run {
  readonly id: string
  readonly recording: Recording
  readonly #parts: RunParts
  readonly #caller = new AbortController()
  readonly #over = Promise.withResolvers<void>()
  #body: Body | undefined
  /** Resolves when the delivered part has been charged, after the response was abandoned. */
  #cancelled: Promise<void> | undefined

  constructor(parts: RunParts) {
    this.id = parts.id
    this.#parts = parts
    this.recording = new Recording({
      folder: parts.folder,
      request: parts.id,
      limit: parts.limits.responseBytes,
      onAbandoned: () => this.abandon(),
      onFailure: parts.onFailure,
    })
  }

  /** Aborted when the response is abandoned. Disconnected callers do not abort it. */
  get signal(): AbortSignal {
    return this.#caller.signal
  }

  /** Resolves when the key has been released or the response is on disk. */
  get isOver(): Promise<void> {
    return this.#over.promise
  }

  /** Abandons a response that has no reader and cannot be stored, or every response at shutdown. */
  abandon(): void {
    this.#caller.abort()
    this.#cancelled ??= this.#body?.cancel().catch(this.#parts.onFailure)
  }

  /** Records the response to its end. Resolves when the recording has begun. */
  async follow(performed: Promise<Response>): Promise<void> {
    const response = await performed.catch((error: unknown) => {
      this.#parts.onFailure(error)
      return new Response(null, { status: 500 })
    })
    void this.#follow(response)
  }

  async #follow(response: Response): Promise<void> {
    const { status, headers } = response
    this.recording.begin({ status, headers: headers.toJSON() })
    const last = await this.#passOn(response)
    await this.#cancelled
    try {
      await this.#decide(status, last)
    } catch (error) {
      this.#parts.onFailure(error)
      void this.#decideLater(status)
    }
    this.#parts.onOver()
    this.recording.end(last.bytes, last.ending)
    this.#over.resolve()
  }

  /** Records all chunks except the last. The last chunk waits until the response is on disk. */
  async #passOn({ body }: Response): Promise<Last> {
    if (!body) return { bytes: undefined, ending: "whole" }
    const reader = body.getReader() as Body
    this.#body = reader
    if (this.signal.aborted) this.abandon()
    try {
      let chunk = await reader.read()
      while (!chunk.done) {
        const next = reader.read()
        if (await isOverAtOnce(next)) break
        await this.recording.add(chunk.value)
        chunk = await next
      }
      return { bytes: chunk.value, ending: this.signal.aborted ? "cut" : "whole" }
    } catch {
      return { bytes: undefined, ending: "cut" }
    }
  }

  /**
   * Repeats the decision while the database is unavailable. The response is not stored in this case. Callers in other
   * processes wait until the database records that there is no response.
   */
  async #decideLater(status: number): Promise<void> {
    const { claims, folder, id, ending } = this.#parts
    while (!ending.aborted) {
      await Bun.sleep(RETRY_INTERVAL_MS)
      try {
        const isSettled = await this.#parts.isSettled(status)
        if (isSettled || !(await claims.release(id))) await claims.drop(id)
        return await folder.remove(id)
      } catch {
        // The failure has already been reported.
      }
    }
  }

  /** Stores the response, or releases the key if the request had no effect. */
  async #decide(status: number, { bytes, ending }: Last): Promise<void> {
    const { claims, folder, id, limits } = this.#parts
    if (!(await this.#parts.isSettled(status)) && (await claims.release(id))) {
      return folder.remove(id)
    }
    const size = await this.recording.store(bytes, ending)
    if (size === undefined) {
      await claims.drop(id)
      return folder.remove(id)
    }
    const { accountBytes: maxOfScope, totalBytes: maxOfAll } = limits
    const { isKept, dropped } = await claims.keep({
      request: id,
      size,
      maxOfScope,
      maxOfAll,
    })
    for (const request of isKept ? dropped : [...dropped, id]) await folder.remove(request)
  }
}

/** Interval between attempts to record the result of a request. */
const RETRY_INTERVAL_MS = 1_000

/**
 * Whether a body ends with the chunk that was just received. Producers close a body together with its last chunk, so
 * one turn of the event loop is enough to detect the end.
 */
function isOverAtOnce(next: Promise<{ readonly done: boolean }>): Promise<boolean> {
  const turn = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))
  const isOver = next.then(
    ({ done }) => done,
    () => false,
  )
  return Promise.race([isOver, turn])
}
