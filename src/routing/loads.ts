import type { Deployment } from "../catalog/model.ts"

const NEWEST_WEIGHT = 0.2
/** Half-life of the weight of measurements. Old measurements lose weight, so that a slow deployment is tried again. */
const HALF_LIFE_MS = 30_000
/** Maximum retries that a deployment can save up. The same maximum applies to hedged attempts. */
const MAX_SAVED_RETRIES = 10
/** Fraction of a retry and of a hedged attempt that each success earns. */
const EARNED_PER_SUCCESS = 0.1
/**
 * Maximum probes per second of a deployment that is cooling down. A probe is sent for a request after all other
 * deployments have failed.
 */
const PROBES_PER_SECOND = 10

/** The running requests of a deployment, its response times, and its budget for additional attempts. */
export class Load {
  busy = 0
  /** Estimated milliseconds until responses begin; 0 before the first response. */
  #latency = 0
  /** Time of the last measurement by `performance.now()`. */
  #measuredAt = 0
  /** Measurements for streams and for whole responses; absent until they are queried. */
  #firstBytes: { readonly streams: FirstBytes; readonly wholes: FirstBytes } | undefined
  readonly #retries: AttemptBudget
  readonly #hedges: AttemptBudget
  #probes = PROBES_PER_SECOND
  /** Time when the probes were last counted, by `performance.now()`. */
  #countedAt = performance.now()
  /** Whether tokens per second are measured. This begins with the first query. */
  isTimed = false
  #secondsPerToken = 0
  #timedAt = 0

  constructor(maxSavedRetries = MAX_SAVED_RETRIES) {
    this.#retries = new AttemptBudget(maxSavedRetries)
    this.#hedges = new AttemptBudget(maxSavedRetries)
  }

  /** Counts the beginning of an attempt. */
  begin(): void {
    this.busy++
  }

  /** Counts the end of an attempt. */
  end(): void {
    this.busy--
  }

  /**
   * Records the beginning of a response.
   * @param milliseconds time since the start of its attempt.
   */
  answered(milliseconds: number, now = performance.now()): void {
    const before = this.latency(now)
    this.#latency = before === 0 ? milliseconds : before + NEWEST_WEIGHT * (milliseconds - before)
    this.#measuredAt = now
  }

  /** Records the beginning of a response, separately for streams and whole responses. */
  began(milliseconds: number, isStream: boolean): void {
    this.answered(milliseconds)
    this.#firstBytes?.[isStream ? "streams" : "wholes"].add(milliseconds)
  }

  /** Records that an attempt was abandoned because its response had not begun within this time. */
  outlasted(milliseconds: number, isStream: boolean): void {
    if (milliseconds > this.latency()) this.began(milliseconds, isStream)
  }

  /**
   * Returns the milliseconds after which a response is late; undefined if unknown. Measurements begin with the first
   * call.
   */
  lateAfter(isStream: boolean): number | undefined {
    this.#firstBytes ??= { streams: new FirstBytes(), wholes: new FirstBytes() }
    return this.#firstBytes[isStream ? "streams" : "wholes"].late
  }

  /** Records a served request. */
  succeeded(): void {
    this.#retries.earn()
    this.#hedges.earn()
  }

  /** Returns the estimated milliseconds until a response begins. Old measurements lose weight. */
  latency(now = performance.now()): number {
    return this.#latency * 2 ** ((this.#measuredAt - now) / HALF_LIFE_MS)
  }

  /**
   * Records a complete response.
   * @param milliseconds time since the start of its attempt.
   */
  produced(tokens: number, milliseconds: number, now = performance.now()): void {
    if (tokens <= 0) return
    const measured = milliseconds / 1_000 / tokens
    const before = this.secondsPerToken(now)
    this.#secondsPerToken = before === 0 ? measured : before + NEWEST_WEIGHT * (measured - before)
    this.#timedAt = now
  }

  /** Returns the estimated seconds per token. Old measurements lose weight. */
  secondsPerToken(now = performance.now()): number {
    this.isTimed = true
    return this.#secondsPerToken * 2 ** ((this.#timedAt - now) / HALF_LIFE_MS)
  }

  /**
   * Takes a retry from the budget; returns false if the budget is exhausted. Without successes the budget is soon
   * exhausted, so that retries do not worsen an outage.
   */
  takeRetry(): boolean {
    return this.#retries.take()
  }

  /**
   * Takes a probe from the budget; returns false if the budget is exhausted. A probe allows a request to use this
   * deployment during its cooldown, after all other deployments have failed. Probes detect the end of an outage. Their
   * number is limited, so that they do not worsen it.
   */
  takeProbe(now = performance.now()): boolean {
    const earned = ((now - this.#countedAt) / 1_000) * PROBES_PER_SECOND
    this.#probes = Math.min(PROBES_PER_SECOND, this.#probes + earned)
    this.#countedAt = now
    if (this.#probes < 1) return false
    this.#probes--
    return true
  }

  /**
   * Takes a hedged attempt from the budget; returns false if the budget is exhausted. A hedged attempt calls a second
   * deployment if a response is late. Ten successes earn one hedged attempt.
   */
  takeHedge(): boolean {
    return this.#hedges.take()
  }
}

/** A budget for attempts in addition to those that callers requested. */
class AttemptBudget {
  readonly #max: number
  #remaining: number

  constructor(most: number) {
    this.#max = most
    this.#remaining = most
  }

  earn(): void {
    this.#remaining = Math.min(this.#max, this.#remaining + EARNED_PER_SUCCESS)
  }

  take(): boolean {
    if (this.#remaining < 1) return false
    this.#remaining--
    return true
  }
}

/** The loads of deployments in this process. */
export class Loads {
  readonly #loads = new Map<string, Load>()
  /**
   * The load shared by all assumed deployments. Callers choose the names of unknown models, so loads by name could grow
   * without limit.
   */
  readonly #assumed = new Load(0)

  of({ id, isAssumed }: Deployment): Load {
    if (isAssumed) return this.#assumed
    let load = this.#loads.get(id)
    if (load === undefined) this.#loads.set(id, (load = new Load()))
    return load
  }
}

/** Number of recent measurements that are used. */
const MAX_MEASUREMENTS = 100
/** Minimum number of measurements for a result. */
const MIN_MEASUREMENTS = 20
/** The fraction of responses that begin within the resulting time. */
const QUANTILE = 0.95
/** Minimum result. Networks and garbage collection cause smaller delays, which do not justify a second attempt. */
const MIN_RESULT_MS = 100

/** Recent durations until responses of one kind began at a deployment. */
export class FirstBytes {
  readonly #times = new Float64Array(MAX_MEASUREMENTS)
  #count = 0
  /** The cached result for the current measurements; undefined after a new measurement. */
  #late: number | undefined

  /**
   * Adds a measurement.
   * @param milliseconds time since the start of an attempt.
   */
  add(milliseconds: number): void {
    this.#times[this.#count % MAX_MEASUREMENTS] = milliseconds
    this.#count++
    this.#late = undefined
  }

  /**
   * Milliseconds after which a response is later than nearly all others; undefined if there are too few measurements.
   */
  get late(): number | undefined {
    if (this.#count < MIN_MEASUREMENTS) return undefined
    this.#late ??= this.#quantile()
    return this.#late
  }

  #quantile(): number {
    const times = this.#times.slice(0, Math.min(this.#count, MAX_MEASUREMENTS)).toSorted()
    return Math.max(MIN_RESULT_MS, times[Math.ceil(times.length * QUANTILE) - 1] ?? 0)
  }
}
