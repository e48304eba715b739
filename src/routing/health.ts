import type { ErrorKind, GatewayError } from "../canon/errors.ts"
import { keeperOfId } from "../catalog/model.ts"
import { SharedMemory } from "../machine/shared-memory.ts"
import type { DeploymentReport } from "../store/deployment-reports.ts"
import { type CircuitState, CircuitStates } from "./circuit-states.ts"
import { failureWords } from "./failure-words.ts"

/** Consecutive failures that open a deployment's circuit. */
const FAILURES_TO_OPEN = 3
/** Milliseconds that the circuit stays open first; doubled each time the half-open request fails. */
const FIRST_OPEN_TIME = 1_000
const MAX_OPEN_TIME = 60_000
/** Milliseconds after an overload for which the vendor named no wait, and the longest wait accepted. */
const OVERLOAD_TIME = 5_000
const MAX_OVERLOAD_TIME = 120_000
/** Milliseconds after an error that the operator has to correct: of the account, its rights, or the model's name. */
const REFUSED_TIME = 60_000
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

/** How a deployment has done since this process started. */
interface Tally {
  successes: number
  failures: number
  lastError: string | null
  /** Clock of the last error. */
  failedAt: number
  /** Whether the last request of all failed. */
  isFailing: boolean
}

/** What is also known where health is shared with other nodes. */
interface DatedTally extends Tally {
  /** Clock of the last success. */
  succeededAt?: number
}

/** What happened to a deployment of which another node tells. */
export interface News extends DeploymentReport {
  /** How long ago, milliseconds. */
  readonly age: number
}

/** A deployment's health, for display. */
export interface HealthReport extends Readonly<Tally> {
  /** Not used yet, responding, failing its last request, or avoided until it is tried again. */
  readonly state: "unknown" | "healthy" | "failing" | "resting"
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
  isFailing: false,
}

const NO_CIRCUITS: readonly (readonly [string, CircuitState])[] = []

/**
 * The health of deployments, learnt from the requests themselves: a circuit breaker. After failures the circuit
 * opens; later one request tries the deployment, and the others go elsewhere until that one has ended. All
 * processes of a machine share the circuits (docs/decisions, 19); each keeps its own counters. No timers. Nodes on
 * several machines tell each other what happens to them (docs/decisions, 39).
 *
 * An account at a provider has a circuit too, by the name of its keeper: while it is open, none of its deployments is
 * healthy.
 */
export class Health {
  readonly #circuits: CircuitStates
  readonly #tallies = new Map<string, DatedTally>()
  readonly #clock: () => number
  /** Called when a circuit opens, closes, or is kept open by its vendor. It must not throw. */
  onChange: ((report: DeploymentReport) => void) | undefined

  /** Called when a circuit opens or closes, or a credential is refused. It must not throw. */
  onTrouble: ((report: DeploymentReport, reason: string) => void) | undefined

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
    return this.isAllWell || this.#clock() >= this.#until(deployment)
  }

  /** Until when a deployment or its account is avoided. */
  #until(deployment: string): number {
    const own = this.#circuits.find(deployment)?.until ?? 0
    return Math.max(own, this.#circuits.find(keeperOfId(deployment))?.until ?? 0)
  }

  /** The circuits of a deployment and of its account that exist. */
  #circuitsOf(deployment: string): readonly (readonly [string, CircuitState])[] {
    if (this.isAllWell) return NO_CIRCUITS
    return [deployment, keeperOfId(deployment)].flatMap((id) => {
      const circuit = this.#circuits.find(id)
      return circuit === undefined ? [] : [[id, circuit] as const]
    })
  }

  /** A request is about to go to a deployment: if the circuit was open, it is the half-open request. */
  attempted(deployment: string): void {
    const now = this.#clock()
    for (const [, circuit] of this.#circuitsOf(deployment)) {
      if (circuit.openings > 0 && now >= circuit.openUntil && now >= circuit.halfOpenUntil)
        circuit.halfOpenUntil = now + HALF_OPEN_TIME
    }
  }

  /** How a deployment does; the counters are this process's. */
  report(deployment: string): HealthReport {
    const tally = this.#tallies.get(deployment)
    const restsFor = this.#until(deployment) - this.#clock()
    if (restsFor > 0) return { ...UNKNOWN, ...tally, state: "resting", restsFor }
    if (tally === undefined) return UNKNOWN
    return { state: tally.isFailing ? "failing" : "healthy", restsFor: 0, ...tally }
  }

  /** A deployment responded. */
  succeeded(deployment: string): void {
    const tally = this.#tally(deployment)
    tally.successes++
    tally.isFailing = false
    if (this.onChange) tally.succeededAt = this.#clock()
    for (const [id, circuit] of this.#circuitsOf(deployment)) this.#recovered(id, circuit)
  }

  #recovered(id: string, circuit: CircuitState): void {
    // A circuit that another node's failures have opened is no news to it.
    if (circuit.openings > 0 && circuit.failures >= FAILURES_TO_OPEN) {
      this.#tell({ deployment: id, event: "recovered", rest: 0 })
    }
    if (this.#clock() >= circuit.overloadedUntil) this.#circuits.remove(id, circuit)
    else circuit.recover()
  }

  /**
   * An attempt failed; the error says what that means for the deployment and its account.
   * @param status the vendor's HTTP status, when it responded.
   */
  failed(deployment: string, error: GatewayError, status?: number): void {
    if (NO_FAULT.has(error.kind)) return this.ended(deployment)
    const tally = this.#tally(deployment)
    tally.failures++
    tally.lastError = failureWords(error, status)
    tally.failedAt = this.#clock()
    tally.isFailing = true
    // It no longer tests whether the account works.
    this.ended(deployment)
    if (!this.accountFailed(deployment, error, status)) {
      this.#judge(deployment, error, tally.lastError)
    }
  }

  /** Whether an error concerns the whole account, which then rests. */
  accountFailed(deployment: string, error: GatewayError, status?: number): boolean {
    const { providerError } = error.details
    if (providerError !== "account" && providerError !== "credential") return false
    this.refused(keeperOfId(deployment), failureWords(error, status))
    return true
  }

  #judge(deployment: string, { kind, details }: GatewayError, reason: string): void {
    switch (details.providerError) {
      case "permission":
        return this.refused(deployment, reason)
      case "model":
        this.#refusedFor(deployment, REFUSED_TIME)
        return this.#tell({ deployment, event: "failed", rest: REFUSED_TIME }, reason)
      case "streaming":
      case "allowance":
      case "generation":
        return
      default:
        if (kind === "upstream_overloaded") this.overloaded(deployment, details.retryAfter)
        else this.broke(deployment, reason)
    }
  }

  /** An attempt ended without a sign of how the deployment does: if it was the half-open request, another may be that. */
  ended(deployment: string): void {
    for (const [, circuit] of this.#circuitsOf(deployment)) circuit.halfOpenUntil = 0
  }

  /** An attempt got no usable response. */
  broke(deployment: string, reason = ""): void {
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
    this.#tell({ deployment, event: "failed", rest }, reason)
  }

  /**
   * The vendor asked for fewer requests.
   * @param retryAfter seconds, when it named them.
   */
  overloaded(deployment: string, retryAfter?: number): void {
    const requested = retryAfter === undefined ? OVERLOAD_TIME : retryAfter * 1_000
    const rest = Math.min(MAX_OVERLOAD_TIME, Math.max(0, requested))
    this.#overloadedFor(deployment, rest)
    this.#tell({ deployment, event: "overloaded", rest })
  }

  /** The vendor refuses the operator's account. @param id of the account, or of the only deployment that it refuses. */
  refused(id: string, reason = ""): void {
    this.#refusedFor(id, REFUSED_TIME)
    this.#tell({ deployment: id, event: "refused", rest: REFUSED_TIME }, reason)
  }

  /**
   * Another node tells of a deployment. What a vendor has said holds for all nodes. That calls fail may be the fault of
   * the other node's network, so it is only a hint: this node's next request is the half-open one. What has succeeded
   * here since refutes it.
   */
  learn({ deployment, event, rest, age }: News): void {
    const now = this.#clock()
    const hasSucceeded = this.#hasSucceeded(deployment, now - age)
    if (event === "overloaded") this.#overloadedFor(deployment, rest)
    else if (event === "recovered") this.#tryNow(deployment)
    else if (hasSucceeded) return
    else if (event === "refused") this.#refusedFor(deployment, Math.min(rest, REFUSED_TIME))
    else this.#suspect(deployment)
  }

  /** @param id of a deployment or an account. @param since by the clock. */
  #hasSucceeded(id: string, since: number): boolean {
    for (const [deployment, { succeededAt = -Infinity }] of this.#tallies) {
      const isMeant = deployment === id || keeperOfId(deployment) === id
      if (isMeant && succeededAt > since) return true
    }
    return false
  }

  /** One request tries it, and its failure opens the circuit. A circuit that is open already is left alone. */
  #suspect(deployment: string): void {
    const circuit = this.#circuits.note(deployment)
    if (circuit.openings > 0) return
    circuit.failures = FAILURES_TO_OPEN - 1
    circuit.openings = 1
  }

  /** It works for another node. */
  #tryNow(deployment: string): void {
    const circuit = this.#circuits.find(deployment)
    if (circuit) circuit.openUntil = Math.min(circuit.openUntil, this.#clock())
  }

  #overloadedFor(deployment: string, rest: number): void {
    if (rest <= 0) return
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.overloadedUntil = Math.max(
      circuit.overloadedUntil,
      this.#clock() + Math.min(MAX_OVERLOAD_TIME, rest),
    )
  }

  #refusedFor(deployment: string, rest: number): void {
    if (rest <= 0) return
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.openings = Math.max(1, circuit.openings)
    circuit.failures = FAILURES_TO_OPEN
    circuit.openUntil = Math.max(circuit.openUntil, this.#clock() + rest)
  }

  #tell(report: DeploymentReport, reason = ""): void {
    this.onChange?.(report)
    this.onTrouble?.(report, reason)
  }

  #tally(deployment: string): DatedTally {
    let tally = this.#tallies.get(deployment)
    if (tally === undefined) {
      if (this.#tallies.size >= MAX_DEPLOYMENTS) {
        const [oldest] = this.#tallies.keys()
        if (oldest !== undefined) this.#tallies.delete(oldest)
      }
      tally = { successes: 0, failures: 0, lastError: null, failedAt: 0, isFailing: false }
      this.#tallies.set(deployment, tally)
    }
    return tally
  }
}
