import type { FailedAttempt, FailedRequest, FailureLog } from "../store/failure-log.ts"
import type { AnsweredError, AttemptFailure } from "../telemetry/events.ts"

/** How long failures wait for others to be stored with them, milliseconds. */
const PAUSE = 250
/** And how many do at most. */
const MOST_WAITING = 5_000
/** Of one account, and of all callers who are not known, in a second: a flood of errors is not what the log is for. */
const MOST_IN_A_SECOND = 20
const SECOND = 1_000
const SWEEP_EVERY = 600_000
/** How long failures are kept, milliseconds. */
const LIFETIME = 7 * 86_400_000
/** Of one account, and of callers who are not known. */
const MOST_REQUESTS = 10_000
/** Of all. */
const MOST_ATTEMPTS = 200_000
/** Characters that are kept of what the caller or the vendor has written. */
const LONGEST_MESSAGE = 500
const LONGEST_NAME = 200
/** More of a message is not even looked at. */
const LONGEST_QUOTING = 2_000
/** Longer values that a message quotes are no names, characters. */
const LONGEST_WORD = 100
const QUOTED = /(?<=^|[\s(:])(['"`])(.*?)(?:\1(?=[\s.,;:)]|$)|$)/gs
/** The kind of error whose message is the vendor's. */
const REFUSED = "refused_by_upstream"
/** Which requests are not callers', and have records of their own. */
const MANAGEMENT = "/admin/"

export interface FailureQueueParts {
  readonly log: FailureLog
  /** @param error why they could not be stored; undefined where there were too many. */
  readonly onLoss: (count: number, error?: unknown) => void
}

/**
 * Stores what went wrong, a little later and together: no request waits for it, and what comes too fast is counted and
 * dropped.
 */
export class FailureQueue implements AsyncDisposable {
  readonly #parts: FailureQueueParts
  #requests: FailedRequest[] = []
  #attempts: FailedAttempt[] = []
  #lost = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #storing: Promise<void> | undefined
  /** How many came of each account within this second. */
  readonly #counts = new Map<string | null, number>()
  #second = 0
  readonly #sweeping: ReturnType<typeof setInterval>

  constructor(parts: FailureQueueParts) {
    this.#parts = parts
    this.#sweeping = setInterval(() => void this.#sweep(), SWEEP_EVERY)
    this.#sweeping.unref()
    void this.#sweep()
  }

  /** A request was answered with an error. */
  answered({ key, message, model, parameter, ...facts }: AnsweredError): void {
    if (facts.endpoint.startsWith(MANAGEMENT)) return
    const account = key?.account ?? null
    if (!this.#admits(account)) return
    this.#requests.push({
      ...facts,
      at: Date.now(),
      endpoint: shortened(facts.endpoint, LONGEST_NAME),
      parameter: parameter === undefined ? null : shortened(nameIn(parameter), LONGEST_NAME),
      message: shortened(withoutContents(facts.kind, message), LONGEST_MESSAGE),
      account,
      key: key?.id ?? null,
      model: model === undefined ? null : shortened(model, LONGEST_NAME),
    })
  }

  /** An upstream call failed, or its vendor refused the request. */
  attemptEnded({ code, message, ...facts }: AttemptFailure): void {
    // All of them are of requests that held money: they are as many as those.
    if (!this.#hasRoom()) return
    this.#attempts.push({
      ...facts,
      at: Date.now(),
      code: code === undefined ? null : shortened(code, LONGEST_NAME),
      message: shortened(message, LONGEST_MESSAGE),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    clearTimeout(this.#timer)
    await this.#storing
    await this.#store()
  }

  #admits(account: string | null): boolean {
    const second = Math.floor(performance.now() / SECOND)
    if (second !== this.#second) {
      this.#second = second
      this.#counts.clear()
    }
    const count = this.#counts.get(account) ?? 0
    this.#counts.set(account, count + 1)
    if (count < MOST_IN_A_SECOND) return this.#hasRoom()
    this.#lost++
    return false
  }

  #hasRoom(): boolean {
    this.#hurry()
    if (this.#requests.length + this.#attempts.length < MOST_WAITING) return true
    this.#lost++
    return false
  }

  /** One store at a time: while the database is slow, what waits is bounded all the same. */
  #hurry(): void {
    if (this.#storing !== undefined) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#storing = this.#store().finally(() => {
        this.#storing = undefined
        if (this.#requests.length + this.#attempts.length + this.#lost > 0) this.#hurry()
      })
    }, PAUSE)
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
    const before = Date.now() - LIFETIME
    const { log, onLoss } = this.#parts
    try {
      await log.sweep({ before, requests: MOST_REQUESTS, attempts: MOST_ATTEMPTS })
    } catch (error) {
      onLoss(0, error)
    }
  }
}

/**
 * What the caller was told, without what they had asked. A vendor's words are with its attempt, where only operators see
 * them; ours quote what was wrong: a word is worth knowing, a sentence is someone's prompt in the wrong place.
 */
function withoutContents(kind: string, message: string): string {
  if (kind === REFUSED) return "The provider refused the request: its words are with the attempt."
  return message
    .slice(0, LONGEST_QUOTING)
    .replace(QUOTED, (_, mark: string, value: string) => mark + nameIn(value) + mark)
}

/** A text where it can be a name; a longer one is not kept. */
function nameIn(text: string): string {
  return text.length > LONGEST_WORD || /\s/.test(text) ? "…" : text
}

/** Text of others as it can be stored and shown in one line. */
function shortened(text: string, longest: number): string {
  return text
    .slice(0, longest)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
}
