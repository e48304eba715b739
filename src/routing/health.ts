import type { ErrorKind, GatewayError } from "../canon/errors.ts"
import { SharedMemory } from "../machine/shared-memory.ts"
import { CircuitStates } from "./circuit-states.ts"

/** Consecutive failures that open a deployment's circuit. */
const FAILURES_TO_OPEN = 3
/** Milliseconds that the circuit stays open first; doubled each time the half-open request fails. */
const FIRST_OPEN_TIME = 1_000
const MAX_OPEN_TIME = 60_000
/** Milliseconds after an overload for which the vendor named no wait, and the longest wait accepted. */
const OVERLOAD_TIME = 5_000
const MAX_OVERLOAD_TIME = 120_000
/** Milliseconds after the vendor refused the operator's credential. */
const CREDENTIAL_TIME = 60_000
/** Milliseconds until a half-open request without a result counts as lost. */
const HALF_OPEN_TIME = 30_000
/** Deployments remembered; larger configurations are not expected. */
const MAX_DEPLOYMENTS = 10_000

/** Failures that say nothing about the deployment: the caller's, or ours. */
const NO_FAULT: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "refused_by_upstream",
  "internal_error",
  // Our own memory: the vendor has responded.
  "overloaded",
])

const CREDENTIAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403])

/** How a deployment has done since this process started. */
interface Tally {
  successes: number
  failures: number
  lastError: string | null
  /** Clock of the last error. */
  failedAt: number
}

/** A deployment's health, for display. */
export interface HealthReport extends Readonly<Tally> {
  /** Not used yet, in use, or avoided until it is tried again. */
  readonly state: "unknown" | "healthy" | "resting"
  /** Milliseconds until a resting one is tried again. */
  readonly restsFor: number
}

const UNKNOWN: HealthReport = {
  state: "unknown",
  restsFor: 0,
  successes: 0,
  failures: 0,
  lastError: null,
  failedAt: 0,
}

/**
 * The health of deployments, learnt from the requests themselves: a circuit breaker. After failures the circuit
 * opens; later one request tries the deployment, and the others go elsewhere until that one has ended. All
 * processes of a machine share the circuits (docs/decisions, 19); each keeps its own counters. No timers.
 */
export class Health {
  readonly #circuits: CircuitStates
  readonly #tallies = new Map<string, Tally>()
  readonly #clock: () => number

  /** @param clock monotonic milliseconds; shared memory needs a clock that is shared, too. */
  constructor(clock: () => number = () => performance.now(), memory = SharedMemory.own()) {
    this.#clock = clock
    this.#circuits = new CircuitStates(memory)
  }

  /** Whether no circuit is open. */
  get isAllWell(): boolean {
    return this.#circuits.areNone
  }

  /** Whether requests should go to a deployment now. */
  isHealthy(deployment: string): boolean {
    const circuit = this.#circuits.find(deployment)
    if (circuit === undefined) return true
    return this.#clock() >= circuit.until
  }

  /** A request is about to go to a deployment: if the circuit was open, it is the half-open request. */
  attempted(deployment: string): void {
    const circuit = this.#circuits.find(deployment)
    if (circuit === undefined || circuit.openings === 0) return
    const now = this.#clock()
    if (now >= circuit.openUntil && now >= circuit.halfOpenUntil)
      circuit.halfOpenUntil = now + HALF_OPEN_TIME
  }

  /** How a deployment does; the counters are this process's. */
  report(deployment: string): HealthReport {
    const tally = this.#tallies.get(deployment)
    const restsFor = (this.#circuits.find(deployment)?.until ?? 0) - this.#clock()
    if (restsFor > 0) return { ...UNKNOWN, ...tally, state: "resting", restsFor }
    return tally === undefined ? UNKNOWN : { state: "healthy", restsFor: 0, ...tally }
  }

  /** A deployment responded. */
  succeeded(deployment: string): void {
    this.#tally(deployment).successes++
    const circuit = this.#circuits.find(deployment)
    if (circuit === undefined) return
    if (this.#clock() >= circuit.overloadedUntil) {
      this.#circuits.remove(deployment, circuit)
      return
    }
    circuit.recover()
  }

  /**
   * An attempt failed; the error says what that means for the deployment.
   * @param status the vendor's HTTP status, when it responded: 401, 402 and 403 are about the operator's
   * credential, which the error does not show.
   */
  failed(deployment: string, error: GatewayError, status?: number): void {
    if (NO_FAULT.has(error.kind)) return
    const tally = this.#tally(deployment)
    tally.failures++
    tally.lastError = failureWords(error, status)
    tally.failedAt = this.#clock()
    if (status !== undefined && CREDENTIAL_STATUSES.has(status)) this.refused(deployment)
    else if (error.kind === "upstream_overloaded") {
      this.overloaded(deployment, error.details.retryAfter)
    } else this.broke(deployment)
  }

  /** An attempt got no usable response. */
  broke(deployment: string): void {
    const circuit = this.#circuits.note(deployment)
    const now = this.#clock()
    // Requests that started before the circuit opened fail later; they change nothing.
    if (now < circuit.openUntil) return
    circuit.halfOpenUntil = 0
    circuit.failures++
    if (circuit.failures < FAILURES_TO_OPEN) return
    const rest = Math.min(MAX_OPEN_TIME, FIRST_OPEN_TIME * 2 ** circuit.openings)
    circuit.openings++
    circuit.openUntil = now + rest
  }

  /**
   * The vendor asked for fewer requests.
   * @param retryAfter seconds, when it named them.
   */
  overloaded(deployment: string, retryAfter?: number): void {
    const requested = retryAfter === undefined ? OVERLOAD_TIME : retryAfter * 1_000
    const rest = Math.min(MAX_OVERLOAD_TIME, Math.max(0, requested))
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.overloadedUntil = Math.max(circuit.overloadedUntil, this.#clock() + rest)
  }

  /** The vendor refused the operator's credential: it is invalid, or out of money. */
  refused(deployment: string): void {
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.openings = Math.max(1, circuit.openings)
    circuit.failures = FAILURES_TO_OPEN
    circuit.openUntil = Math.max(circuit.openUntil, this.#clock() + CREDENTIAL_TIME)
  }

  #tally(deployment: string): Tally {
    let tally = this.#tallies.get(deployment)
    if (tally === undefined) {
      if (this.#tallies.size >= MAX_DEPLOYMENTS) {
        const [oldest] = this.#tallies.keys()
        if (oldest !== undefined) this.#tallies.delete(oldest)
      }
      tally = { successes: 0, failures: 0, lastError: null, failedAt: 0 }
      this.#tallies.set(deployment, tally)
    }
    return tally
  }
}

/** What happened, in our own words: a vendor's may quote what callers have sent. */
function failureWords({ kind }: GatewayError, status = 0): string {
  const answer = status === 0 ? "" : ` (${status})`
  if (CREDENTIAL_STATUSES.has(status)) {
    return `it refuses the provider's credential, or its account is out of money${answer}`
  }
  if (kind === "upstream_overloaded") return `it asked for fewer requests${answer}`
  if (kind === "upstream_timeout") return `it took too long${answer}`
  if (status === 0) return "it could not be reached, or its credential could not be used"
  return status >= 400 ? `it failed${answer}` : `its answer broke off or could not be read${answer}`
}
