import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type { ContentRecord } from "../../store/payload-log.ts"
import type { Call } from "../request/call.ts"

/** Stores prompts and responses. */
export interface PayloadWriter {
  keep(record: ContentRecord): Promise<void>
  /** Deletes records older than a moment in Unix milliseconds. */
  sweep(before: number): Promise<void>
}

const SWEEP_INTERVAL_MS = 3_600_000
/** Maximum characters of JSON that are stored for a request. The same maximum applies to its response. */
const MAX_KEPT = 256 * 1024
/** Maximum number of records that are being written. Further records are dropped, so that requests are not delayed. */
const MAX_WAITING = 500
/** Maximum characters of records that are being written. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024
/** Base64 text of at least this length is treated as a file. */
const MIN_FILE_CHARACTERS = 1_000
const FILE = /^[A-Za-z0-9+/=_-]+$/
const DATA_ADDRESS = /^data:[^,]{0,200};base64,/

/**
 * Stores prompts and responses of accounts with storage enabled, after the response was sent. For other accounts, it
 * only checks their key.
 */
export class PayloadLog implements AsyncDisposable {
  readonly #keeper: PayloadWriter
  readonly #lifetime: () => number
  readonly #failed: (error: unknown) => void
  readonly #waiting = new Set<Promise<void>>()
  #characters = 0
  readonly #timer: Timer

  /**
   * @param lifetime returns the retention period in milliseconds.
   * @param failed called with failures to store or delete.
   */
  constructor(keeper: PayloadWriter, lifetime: () => number, failed: (error: unknown) => void) {
    this.#keeper = keeper
    this.#lifetime = lifetime
    this.#failed = failed
    this.#timer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS)
    this.#timer.unref()
    this.#sweep()
  }

  /**
   * Stores a request and its response.
   * @param response undefined if there is no response, or if the response is not text.
   */
  keep(call: Call, body: JsonObject, response?: JsonValue): void {
    if (!call.key.storesContent || this.#waiting.size >= MAX_WAITING) return
    if (this.#characters > MAX_WAITING_CHARACTERS) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(promise)
    setImmediate(() => {
      const record = {
        request: call.id,
        account: call.key.account,
        at: call.receivedAt,
        asked: keptText(body),
        answered: response === undefined ? null : keptText(response),
      }
      const characters = record.asked.length + (record.answered?.length ?? 0)
      this.#characters += characters
      void this.#perform(this.#keeper.keep(record)).finally(() => {
        this.#characters -= characters
        this.#waiting.delete(promise)
        resolve()
      })
    })
  }

  #sweep(): void {
    void this.#perform(this.#keeper.sweep(Date.now() - this.#lifetime()))
  }

  async #perform(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#failed(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#waiting)
  }
}

/** Returns the JSON of a value without the files in it. If the JSON is too long, only its beginning is returned. */
function keptText(value: JsonValue): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    typeof member === "string" ? withoutFile(member) : member,
  )
  if (text.length <= MAX_KEPT) return text
  return JSON.stringify({ cut: true, characters: text.length, beginning: text.slice(0, MAX_KEPT) })
}

function withoutFile(text: string): string {
  if (text.length < MIN_FILE_CHARACTERS) return text
  const isFile = DATA_ADDRESS.test(text) || FILE.test(text.slice(0, MIN_FILE_CHARACTERS))
  return isFile ? `(a file of ${text.length} characters, not kept)` : text
}
