/** How long the collector may take for one batch, and for its answer, milliseconds. */
const PATIENCE = 10_000
/** How often a batch is sent at most. */
const MOST_TRIES = 4
/** How long is waited before the second try, milliseconds; twice as long before each further one. */
const FIRST_PAUSE = 1_000
/** The longest pause that a collector can ask for, milliseconds. */
const LONGEST_PAUSE = 30_000
/** What is read of an answer, bytes: it holds a count and a line of text. */
const MOST_READ = 64 * 1024
/** @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

export interface OtlpClientParts {
  /** With the signal's path. */
  readonly url: string
  /** The content type included. Values may be secret. */
  readonly headers: Readonly<Record<string, string>>
}

/** The collector did not take a batch. */
export class CollectorError extends Error {
  override readonly name = "CollectorError"
  readonly isPassing: boolean
  /** How long it wants us to wait, milliseconds. */
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
 * Sends batches to a collector over HTTP. Everything about it is bounded: each try as a whole, the number of tries, what
 * is read of an answer; it follows no redirect.
 */
export class OtlpClient {
  readonly #parts: OtlpClientParts
  readonly #ending = new AbortController()

  constructor(parts: OtlpClientParts) {
    this.#parts = parts
  }

  /**
   * Sends a batch, several times if need be.
   * @returns the answer's body, as far as it was read.
   * @throws CollectorError when the collector has not taken it.
   */
  async send(batch: Uint8Array): Promise<Uint8Array> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#post(batch)
      } catch (thrown) {
        const error = failureOf(thrown)
        if (!error.isPassing || tries >= MOST_TRIES || this.#ending.signal.aborted) throw error
        await this.#pause(error.pause ?? FIRST_PAUSE * 2 ** (tries - 1))
      }
    }
  }

  /** Ends what runs: batches on their way have so long, and no second try. */
  async endIn(milliseconds: number, finished: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.#ending.abort(), milliseconds)
    await finished
    clearTimeout(timer)
  }

  async #post(batch: Uint8Array): Promise<Uint8Array> {
    const { url, headers } = this.#parts
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: batch,
      redirect: "manual",
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(PATIENCE)]),
    })
    const answer = await beginningOf(response)
    if (response.ok) return answer
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
    if (length >= MOST_READ) break
  }
  return Buffer.concat(chunks)
}

/** Seconds; a date is not worth reading. */
function pauseOf(retryAfter: string | null): number | undefined {
  const seconds = retryAfter === null || retryAfter === "" ? Number.NaN : Number(retryAfter)
  return seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_PAUSE) : undefined
}

/** What fails on the way may work the next time. */
function failureOf(thrown: unknown): CollectorError {
  if (thrown instanceof CollectorError) return thrown
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new CollectorError(`the collector cannot be reached: ${reason}`, { isPassing: true })
}
