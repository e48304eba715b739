import type { Deployment } from "../catalog/model.ts"

/** How much the newest measurement counts. */
const NEWEST = 0.2
/** What was measured counts half after so long, milliseconds: one that was slow is tried again. */
const HALF_LIFE = 30_000
/** Attempts that a deployment may be given again at once, and what each success earns of one. */
const MOST_RETRIES = 10
const RETRIES_PER_SUCCESS = 0.1
/** How often a deployment that rests is tried in a second when all others have failed a request. */
const PROBES_PER_SECOND = 10

/** How many requests one deployment serves now, how quickly it has answered, and how often it may be tried again. */
export class Load {
  busy = 0
  /** Milliseconds until answers began; 0 before the first. */
  #latency = 0
  /** By `performance.now()`. */
  #measuredAt = 0
  readonly #mostRetries: number
  #retries: number
  #probes = PROBES_PER_SECOND
  /** When they were counted last, by `performance.now()`. */
  #countedAt = performance.now()

  constructor(mostRetries = MOST_RETRIES) {
    this.#mostRetries = mostRetries
    this.#retries = mostRetries
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

  /** A request was served. */
  succeeded(): void {
    this.#retries = Math.min(this.#mostRetries, this.#retries + RETRIES_PER_SUCCESS)
  }

  /** Milliseconds until an answer begins, as far as that is known. What is long ago counts little. */
  latency(now = performance.now()): number {
    return this.#latency * 2 ** ((this.#measuredAt - now) / HALF_LIFE)
  }

  /**
   * Whether a failed attempt may be repeated here. Where nothing succeeds there are soon none left, so that an outage is
   * not made worse.
   */
  takeRetry(): boolean {
    if (this.#retries < 1) return false
    this.#retries--
    return true
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
}

/** The loads of deployments, as this process knows them. */
export class Loads {
  readonly #loads = new Map<string, Load>()
  /** Callers choose the names of models that nobody knows: nothing is kept under them, and they are never repeated. */
  readonly #assumed = new Load(0)

  of({ id, isAssumed }: Deployment): Load {
    if (isAssumed) return this.#assumed
    let load = this.#loads.get(id)
    if (load === undefined) this.#loads.set(id, (load = new Load()))
    return load
  }
}
