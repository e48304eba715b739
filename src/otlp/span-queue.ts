import type { ReadableSpan } from "./span.ts"

/** Maximum spans that wait for the collector. */
const MAX_QUEUED = 2_000
/** Maximum spans per batch. Encoding a batch of this size blocks the event loop for about a millisecond. */
const MAX_BATCH_SIZE = 200
/** Maximum time that a span waits for others before its batch is sent. */
const FLUSH_INTERVAL_MS = 1_000
/** Maximum time for sending the remaining spans at shutdown. */
const SHUTDOWN_TIMEOUT_MS = 1_000

/**
 * The result of a span. The collector accepted it or did not accept it, or it was dropped because the queue was full.
 */
export type SpanOutcome = "sent" | "failed" | "dropped"

/** Sends encoded batches to the collector. */
export interface SpanClient {
  /**
   * Sends a batch.
   * @returns the response.
   * @throws if the collector did not accept the batch.
   */
  send(batch: Uint8Array): Promise<Uint8Array>
  endIn(milliseconds: number, finished: Promise<unknown>): Promise<void>
}

export interface SpanSerializer {
  serializeRequest(spans: ReadableSpan[]): Uint8Array | undefined
  deserializeResponse(response: Uint8Array): {
    readonly partialSuccess?: { readonly rejectedSpans?: number | undefined } | undefined
  }
}

export interface SpanQueueParts {
  readonly client: SpanClient
  readonly serializer: SpanSerializer
  readonly counted: (outcome: SpanOutcome, spans: number) => void
  readonly failed: (error: unknown) => void
}

/**
 * A queue of spans for the collector. It is limited, so that a slow or unavailable collector does not fill the memory.
 */
export class SpanQueue implements AsyncDisposable {
  readonly #parts: SpanQueueParts
  #waiting: ReadableSpan[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> | undefined
  #isEnding = false
  /** Whether dropped spans were reported since the last successful batch. */
  #hasReportedDrop = false

  constructor(parts: SpanQueueParts) {
    this.#parts = parts
  }

  /** Adds a span. Never waits and never throws. */
  add(span: ReadableSpan): void {
    if (this.#waiting.length >= MAX_QUEUED || this.#isEnding) return this.#drop()
    this.#waiting.push(span)
    if (this.#sending) return
    if (this.#waiting.length >= MAX_BATCH_SIZE) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), FLUSH_INTERVAL_MS)
  }

  /** Sends the pending spans within a limited time. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    const finished = (this.#sending ?? Promise.resolve()).then(() => this.#sendAll())
    await this.#parts.client.endIn(SHUTDOWN_TIMEOUT_MS, finished)
  }

  #drop(): void {
    this.#parts.counted("dropped", 1)
    if (this.#hasReportedDrop) return
    this.#hasReportedDrop = true
    this.#parts.failed(new Error("span queue full; dropping spans"))
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
      if (this.#waiting.length > 0 && !this.#isEnding) this.#send()
    })
  }

  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH_SIZE)
      this.#hasReportedDrop = false
      try {
        await this.#sendBatch(batch)
      } catch (error) {
        this.#parts.counted("failed", batch.length)
        this.#parts.failed(error)
      }
    }
  }

  async #sendBatch(batch: ReadableSpan[]): Promise<void> {
    const { client, serializer, counted } = this.#parts
    const bytes = serializer.serializeRequest(batch)
    if (bytes === undefined) throw new Error("the spans cannot be encoded")
    const rejected = this.#rejectedIn(await client.send(bytes), batch.length)
    if (rejected > 0) counted("failed", rejected)
    if (rejected < batch.length) counted("sent", batch.length - rejected)
  }

  /**
   * Returns the number of spans that a collector rejected. If its response is unreadable, all spans count as accepted.
   */
  #rejectedIn(response: Uint8Array, sent: number): number {
    if (response.byteLength === 0) return 0
    try {
      const { partialSuccess } = this.#parts.serializer.deserializeResponse(response)
      const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
      return rejected > 0 ? Math.min(rejected, sent) : 0
    } catch {
      return 0
    }
  }
}
