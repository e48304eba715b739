import type { Deployment } from "../catalog/model.ts"
import { FirstBytes } from "./first-bytes.ts"

/** How much the newest measurement counts. */
const NEWEST = 0.2
/** What was measured counts half after so long, milliseconds: one that was slow is tried again. */
const HALF_LIFE = 30_000
/** Attempts that a deployment may be given again at once, or be helped out with by another. */
const MOST_RETRIES = 10
/** What each success earns of one. */
const EARNED = 0.1
/** How often a deployment that rests is tried in a second when all others have failed a request. */
const PROBES_PER_SECOND = 10

/** How many requests one deployment serves now, how quickly it has answered, and how often it may be tried again. */
export class Load {
  busy = 0
  /** Milliseconds until answers began; 0 before the first. */
  #latency = 0
  /** By `performance.now()`. */
  #measuredAt = 0
  /** Of streams and of whole answers; absent until they are asked for. */
  #firstBytes: { readonly streams: FirstBytes; readonly wholes: FirstBytes } | undefined
  readonly #retries: AttemptBudget
  readonly #hedges: AttemptBudget
  #probes = PROBES_PER_SECOND
  /** When they were counted last, by `performance.now()`. */
  #countedAt = performance.now()
  /** Whether anyone asks how many tokens it gives in a second: it is measured from then on. */
  isTimed = false
  #secondsPerToken = 0
  #timedAt = 0

  constructor(mostRetries = MOST_RETRIES) {
    this.#retries = new AttemptBudget(mostRetries)
    this.#hedges = new AttemptBudget(mostRetries)
  }

  /** An attempt begins. */
  begin(): void {
    this.busy++
  }

  /** It is over. */
  end(): void {
    this.busy--
  }

  /** An answer has begun. @param milliseconds since its attempt began. */
  answered(milliseconds: number, now = performance.now()): void {
    const before = this.latency(now)
    this.#latency = before === 0 ? milliseconds : before + NEWEST * (milliseconds - before)
    this.#measuredAt = now
  }

  /** The same for an answer whose kind is known. */
  began(milliseconds: number, isStream: boolean): void {
    this.answered(milliseconds)
    this.#firstBytes?.[isStream ? "streams" : "wholes"].add(milliseconds)
  }

  /** An answer had not begun after so long, and was not waited for any longer. */
  outlasted(milliseconds: number, isStream: boolean): void {
    if (milliseconds > this.latency()) this.began(milliseconds, isStream)
  }

  /** Milliseconds after which an answer is late; undefined as long as that is not known. Measured from the first question on. */
  lateAfter(isStream: boolean): number | undefined {
    this.#firstBytes ??= { streams: new FirstBytes(), wholes: new FirstBytes() }
    return this.#firstBytes[isStream ? "streams" : "wholes"].late
  }

  /** A request was served. */
  succeeded(): void {
    this.#retries.earn()
    this.#hedges.earn()
  }

  /** Milliseconds until an answer begins, as far as that is known. What is long ago counts little. */
  latency(now = performance.now()): number {
    return this.#latency * 2 ** ((this.#measuredAt - now) / HALF_LIFE)
  }

  /** An answer is complete. @param milliseconds since its attempt began. */
  produced(tokens: number, milliseconds: number, now = performance.now()): void {
    if (tokens <= 0) return
    const measured = milliseconds / 1_000 / tokens
    const before = this.secondsPerToken(now)
    this.#secondsPerToken = before === 0 ? measured : before + NEWEST * (measured - before)
    this.#timedAt = now
  }

  /** How long a token of its answers takes, as far as that is known. What is long ago counts little. */
  secondsPerToken(now = performance.now()): number {
    this.isTimed = true
    return this.#secondsPerToken * 2 ** ((this.#timedAt - now) / HALF_LIFE)
  }

  /**
   * Whether a failed attempt may be repeated here. Where nothing succeeds there are soon none left, so that an outage is
   * not made worse.
   */
  takeRetry(): boolean {
    return this.#retries.take()
  }

  /**
   * Whether a request that others have failed goes on to this deployment, although it rests. Not all do, so that an outage of
   * all is not multiplied; some do, so that its end is noticed.
   */
  takeProbe(now = performance.now()): boolean {
    const earned = ((now - this.#countedAt) / 1_000) * PROBES_PER_SECOND
    this.#probes = Math.min(PROBES_PER_SECOND, this.#probes + earned)
    this.#countedAt = now
    if (this.#probes < 1) return false
    this.#probes--
    return true
  }

  /** Whether another deployment may be asked as well, since this one is late: a tenth of what succeeds here. */
  takeHedge(): boolean {
    return this.#hedges.take()
  }
}

/** Attempts beyond those that callers ask for. */
class AttemptBudget {
  readonly #most: number
  #left: number

  constructor(most: number) {
    this.#most = most
    this.#left = most
  }

  earn(): void {
    this.#left = Math.min(this.#most, this.#left + EARNED)
  }

  take(): boolean {
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}

/** The loads of deployments, as this process knows them. */
export class Loads {
  readonly #loads = new Map<string, Load>()
  /** Shared by assumed deployments: callers choose the names of unknown models, so storing loads by name could grow without limit. */
  readonly #assumed = new Load(0)

  of({ id, isAssumed }: Deployment): Load {
    if (isAssumed) return this.#assumed
    let load = this.#loads.get(id)
    if (load === undefined) this.#loads.set(id, (load = new Load()))
    return load
  }
}
