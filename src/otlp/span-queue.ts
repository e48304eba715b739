import type { ReadableSpan } from "./span.ts"

/** Spans that wait for the collector at most. */
const MOST_WAITING = 2_000
/** Spans that are sent together. To encode them takes a millisecond, in which nothing else is done. */
const BATCH = 200
/** How long the first of a batch waits for others, milliseconds. */
const GATHERING = 1_000
/** How long spans may take to leave when the gateway ends, milliseconds. */
const LAST_TIME = 1_000

/** What becomes of spans: taken by the collector, or not, or never sent since too many waited. */
export type SpanOutcome = "sent" | "failed" | "dropped"

/** Sends encoded batches. */
export interface SpanClient {
  /** @returns the answer. @throws when the collector did not take it. */
  send(batch: Uint8Array): Promise<Uint8Array>
  endIn(milliseconds: number, finished: Promise<unknown>): Promise<void>
}

export interface SpanSerializer {
  serializeRequest(spans: ReadableSpan[]): Uint8Array | undefined
  deserializeResponse(answer: Uint8Array): {
    readonly partialSuccess?: { readonly rejectedSpans?: number | undefined } | undefined
  }
}

export interface SpanQueueParts {
  readonly client: SpanClient
  readonly serializer: SpanSerializer
  readonly counted: (outcome: SpanOutcome, spans: number) => void
  readonly failed: (error: unknown) => void
}

/** Spans on their way to the collector: so many and no more, so that one that is slow or away costs no memory. */
export class SpanQueue implements AsyncDisposable {
  readonly #parts: SpanQueueParts
  #waiting: ReadableSpan[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> | undefined
  #isEnding = false
  /** Whether it was said that spans are dropped, since some were last sent. */
  #hasSaid = false

  constructor(parts: SpanQueueParts) {
    this.#parts = parts
  }

  /** Never waits, and never throws. */
  add(span: ReadableSpan): void {
    if (this.#waiting.length >= MOST_WAITING || this.#isEnding) return this.#drop()
    this.#waiting.push(span)
    if (this.#sending) return
    if (this.#waiting.length >= BATCH) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), GATHERING)
  }

  /** Sends what waits, as far as that is possible in a few seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    const finished = (this.#sending ?? Promise.resolve()).then(() => this.#sendAll())
    await this.#parts.client.endIn(LAST_TIME, finished)
  }

  #drop(): void {
    this.#parts.counted("dropped", 1)
    if (this.#hasSaid) return
    this.#hasSaid = true
    this.#parts.failed(
      new Error("more spans wait for the collector than are kept: some are dropped"),
    )
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
      const batch = this.#waiting.splice(0, BATCH)
      this.#hasSaid = false
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
    if (bytes === undefined) throw new Error("these spans cannot be encoded")
    const rejected = this.#rejectedIn(await client.send(bytes), batch.length)
    if (rejected > 0) counted("failed", rejected)
    if (rejected < batch.length) counted("sent", batch.length - rejected)
  }

  /** What a collector says that it has not taken. One that says nothing that can be read has taken all. */
  #rejectedIn(answer: Uint8Array, sent: number): number {
    if (answer.byteLength === 0) return 0
    try {
      const { partialSuccess } = this.#parts.serializer.deserializeResponse(answer)
      const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
      return rejected > 0 ? Math.min(rejected, sent) : 0
    } catch {
      return 0
    }
  }
}
