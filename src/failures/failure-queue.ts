import { SECOND_MS } from "#contract/durations.ts"
import type { FailedAttempt, FailedRequest, FailureLog } from "../store/failure-log.ts"
import type { AnsweredError, AttemptFailure } from "../telemetry/events.ts"

const FLUSH_INTERVAL_MS = 250
const MAX_QUEUED = 5_000
/** Maximum failures logged per account per second, so that an error loop cannot flood the log. */
const MAX_PER_SECOND = 20
const SWEEP_INTERVAL_MS = 600_000
const RETENTION_MS = 7 * 86_400_000
/** Maximum stored failed requests per account, and of all unknown callers together. */
const MAX_KEPT_REQUESTS = 10_000
/** Maximum stored failed attempts in total. */
const MAX_KEPT_ATTEMPTS = 200_000
const MAX_MESSAGE_LENGTH = 500
const MAX_NAME_LENGTH = 200
/** Length of the part of a message that is searched for quotes. */
const MAX_SEARCHED_LENGTH = 2_000
/** Longer quoted values are not treated as names. */
const MAX_WORD_LENGTH = 100
const QUOTED = /(?<=^|[\s(:])(['"`])(.*?)(?:\1(?=[\s.,;:)]|$)|$)/gs
/** The kind of errors whose message comes from the vendor. */
const REJECTED = "rejected_by_upstream"
/** Path of management requests, which have separate records. */
const MANAGEMENT = "/admin/"

export interface FailureQueueParts {
  readonly log: FailureLog
  /**
   * Called when failures are lost.
   * @param error the reason why they could not be stored; undefined if there were too many.
   */
  readonly onLoss: (count: number, error?: unknown) => void
}

/**
 * Stores failures in batches in the background, so that no request waits for them. Excess failures are dropped and
 * counted.
 */
export class FailureQueue implements AsyncDisposable {
  readonly #parts: FailureQueueParts
  #requests: FailedRequest[] = []
  #attempts: FailedAttempt[] = []
  #lost = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #storing: Promise<void> | undefined
  /** Failures of each account within the current second. */
  readonly #counts = new Map<string | null, number>()
  #second = 0
  readonly #sweeping: ReturnType<typeof setInterval>

  constructor(parts: FailureQueueParts) {
    this.#parts = parts
    this.#sweeping = setInterval(() => void this.#sweep(), SWEEP_INTERVAL_MS)
    this.#sweeping.unref()
    void this.#sweep()
  }

  /** Records a request that was answered with an error. */
  answered({ key, message, model, parameter, ...facts }: AnsweredError): void {
    if (facts.endpoint.startsWith(MANAGEMENT)) return
    const account = key?.account ?? null
    if (!this.#admits(account)) return
    this.#requests.push({
      ...facts,
      at: Date.now(),
      endpoint: shortened(facts.endpoint, MAX_NAME_LENGTH),
      parameter: parameter === undefined ? null : shortened(nameIn(parameter), MAX_NAME_LENGTH),
      message: shortened(withoutContents(facts.kind, message), MAX_MESSAGE_LENGTH),
      account,
      key: key?.id ?? null,
      model: model === undefined ? null : shortened(model, MAX_NAME_LENGTH),
    })
  }

  /** Records an upstream call that failed or was rejected by its vendor. */
  attemptEnded({ code, message, ...facts }: AttemptFailure): void {
    // Attempts need no limit per account, because only requests with held credits have attempts.
    if (!this.#hasRoom()) return
    this.#attempts.push({
      ...facts,
      at: Date.now(),
      code: code === undefined ? null : shortened(code, MAX_NAME_LENGTH),
      message: shortened(message, MAX_MESSAGE_LENGTH),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    clearTimeout(this.#timer)
    await this.#storing
    await this.#store()
  }

  #admits(account: string | null): boolean {
    const second = Math.floor(performance.now() / SECOND_MS)
    if (second !== this.#second) {
      this.#second = second
      this.#counts.clear()
    }
    const count = this.#counts.get(account) ?? 0
    this.#counts.set(account, count + 1)
    if (count < MAX_PER_SECOND) return this.#hasRoom()
    this.#lost++
    return false
  }

  #hasRoom(): boolean {
    this.#scheduleFlush()
    if (this.#requests.length + this.#attempts.length < MAX_QUEUED) return true
    this.#lost++
    return false
  }

  /** The log, including the failures that are still queued. */
  get log(): FailureLog {
    const { log } = this.#parts
    const flushed =
      <Parameters extends unknown[], Result>(
        read: (...parameters: Parameters) => Promise<Result>,
      ) =>
      async (...parameters: Parameters): Promise<Result> => {
        await this.#flush()
        return read(...parameters)
      }
    return {
      add: (requests, attempts) => log.add(requests, attempts),
      find: flushed((request) => log.find(request)),
      attempts: flushed((request) => log.attempts(request)),
      list: flushed((filter, after, limit) => log.list(filter, after, limit)),
      searchReach: flushed((filter, after) => log.searchReach(filter, after)),
      search: flushed((search, limit) => log.search(search, limit)),
      count: flushed((filter, step) => log.count(filter, step)),
      sweep: (limits) => log.sweep(limits),
    }
  }

  async #flush(): Promise<void> {
    await this.#storing
    if (this.#timer !== undefined) this.#startStoring()
    await this.#storing
  }

  #scheduleFlush(): void {
    if (this.#storing !== undefined) return
    this.#timer ??= setTimeout(() => this.#startStoring(), FLUSH_INTERVAL_MS)
  }

  /** Stores only one batch at a time, so that the queue stays limited while the database is slow. */
  #startStoring(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#storing ??= this.#store().finally(() => {
      this.#storing = undefined
      if (this.#requests.length + this.#attempts.length + this.#lost > 0) this.#scheduleFlush()
    })
  }

  async #store(): Promise<void> {
    const [requests, attempts, lost] = [this.#requests, this.#attempts, this.#lost]
    this.#requests = []
    this.#attempts = []
    this.#lost = 0
    const { log, onLoss } = this.#parts
    if (lost > 0) onLoss(lost)
    if (requests.length === 0 && attempts.length === 0) return
    try {
      await log.add(requests, attempts)
    } catch (error) {
      onLoss(requests.length + attempts.length, error)
    }
  }

  async #sweep(): Promise<void> {
    const before = Date.now() - RETENTION_MS
    const { log, onLoss } = this.#parts
    try {
      await log.sweep({ before, requests: MAX_KEPT_REQUESTS, attempts: MAX_KEPT_ATTEMPTS })
    } catch (error) {
      onLoss(0, error)
    }
  }
}

/**
 * Returns the message for the caller without the caller's content. Messages of vendors are only stored with their
 * attempts, whose readers are limited (`failedAttemptDocument`). The gateway's own messages quote the invalid value. A
 * single word is kept, but a sentence may be part of a prompt.
 */
function withoutContents(kind: string, message: string): string {
  if (kind === REJECTED)
    return "The provider rejected the request. Its message is stored with the attempt."
  return message
    .slice(0, MAX_SEARCHED_LENGTH)
    .replace(QUOTED, (_, mark: string, value: string) => mark + nameIn(value) + mark)
}

/** Returns a text that may be a name, or an ellipsis in place of any other text. */
function nameIn(text: string): string {
  return text.length > MAX_WORD_LENGTH || /\s/.test(text) ? "…" : text
}

/** Shortens external text, and makes it safe for storage and for display on one line. */
function shortened(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
}
