import type { Deployment } from "../catalog/model.ts"

/** How much the newest measurement counts. */
const NEWEST = 0.2
/** What was measured counts half after so long, milliseconds: one that was slow is tried again. */
const HALF_LIFE = 30_000
/** Attempts that a deployment may be given again at once, and what each success earns of one. */
const MOST_RETRIES = 10
const RETRIES_PER_SUCCESS = 0.1

/** How many requests one deployment serves now, how quickly it has answered, and how often it may be tried again. */
export class Load {
  busy = 0
  /** Milliseconds until answers began; 0 before the first. */
  #latency = 0
  /** By `performance.now()`. */
  #measuredAt = 0
  /** Whether anyone asks how many tokens it gives in a second: it is measured from then on. */
  isTimed = false
  #secondsPerToken = 0
  #timedAt = 0
  readonly #mostRetries: number
  #retries: number

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

  /** What was needed of an answer has come. */
  succeeded(): void {
    this.#retries = Math.min(this.#mostRetries, this.#retries + RETRIES_PER_SUCCESS)
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
    if (this.#retries < 1) return false
    this.#retries--
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
