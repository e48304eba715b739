import type { ErrorKind, GatewayError } from "../canon/errors.ts"
import { credentialIdOfDeployment } from "../catalog/model.ts"
import { SharedMemory } from "../machine/shared-memory.ts"
import type { DeploymentReport } from "../store/deployment-reports.ts"
import { type CircuitState, CircuitStates } from "./circuit-states.ts"
import { failureWords } from "./failure-words.ts"

/** Number of consecutive failures that open a deployment's circuit. */
const FAILURES_TO_OPEN = 3
/** First duration of an open circuit. It is doubled each time the half-open request fails. */
const FIRST_OPEN_MS = 1_000
const MAX_OPEN_MS = 60_000
/** Wait after an overload if the vendor does not request a wait, and maximum wait that a vendor can request. */
const OVERLOAD_MS = 5_000
const MAX_OVERLOAD_MS = 120_000
/** Wait after an error that the operator has to fix. It concerns the account, its permissions, or the model's name. */
const REJECTED_MS = 60_000
/** Time after which a half-open request that has no result counts as lost. */
const HALF_OPEN_TIMEOUT_MS = 30_000
/** Maximum deployments that are remembered. Larger configurations are not expected. */
const MAX_DEPLOYMENTS = 10_000

/** Failures caused by the caller or the gateway, which do not concern the deployment. */
const NO_FAULT: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "rejected_by_upstream",
  "internal_error",
  "ledger_unavailable",
  // This error means that the gateway's memory limit was reached. The vendor has responded.
  "overloaded",
])

/** Results of a deployment since the start of this process. */
interface Tally {
  successes: number
  failures: number
  lastError: string | null
  /** Time of the last error, by the clock of `Health`. */
  failedAt: number
  /** Whether the latest request failed. */
  isFailing: boolean
}

/** Additional results, which are kept if health is shared with other nodes. */
interface DatedTally extends Tally {
  /** Time of the last success, by the clock of `Health`. */
  succeededAt?: number
}

/** An event of a deployment that another node reported. */
export interface AgedReport extends DeploymentReport {
  /** Age of the event in milliseconds. */
  readonly age: number
}

/** A deployment's health in a form for display. */
export interface HealthReport extends Readonly<Tally> {
  /** The state: not used yet, responding, failed at the last request, or avoided until the next attempt. */
  readonly state: "unknown" | "healthy" | "failing" | "cooling_down"
  /** Milliseconds until a deployment in the state `cooling_down` is tried again. */
  readonly cooldownMs: number
}

const UNKNOWN: HealthReport = {
  state: "unknown",
  cooldownMs: 0,
  successes: 0,
  failures: 0,
  lastError: null,
  failedAt: 0,
  isFailing: false,
}

const NO_CIRCUITS: readonly (readonly [string, CircuitState])[] = []

/**
 * A circuit breaker for deployments, based on the results of requests. Failures open the circuit. Later, a single
 * request tests the deployment, and other requests avoid it until that request has ended. All processes of a machine
 * share the circuits (docs/contribute/design-notes.md#processes-of-one-machine), but each process has its own counters.
 * No timers are used. Nodes on several machines exchange events (docs/contribute/decisions, 39).
 *
 * Each account at a provider also has a circuit. While it is open, none of the account's deployments is healthy.
 */
export class Health {
  readonly #circuits: CircuitStates
  readonly #tallies = new Map<string, DatedTally>()
  readonly #clock: () => number
  /** Called when a circuit opens or closes, or when its vendor keeps it open. It must not throw. */
  onChange: ((report: DeploymentReport) => void) | undefined

  /** Called when a circuit opens or closes, or when a credential is rejected. It must not throw. */
  onProblem: ((report: DeploymentReport, reason: string) => void) | undefined

  /** @param clock returns monotonic milliseconds. Shared memory requires a shared clock. */
  constructor(clock: () => number = () => performance.now(), memory = SharedMemory.own()) {
    this.#clock = clock
    this.#circuits = new CircuitStates(memory)
  }

  /** Whether no circuit is open. */
  get areCircuitsClosed(): boolean {
    return this.#circuits.isEmpty
  }

  /** Whether requests should use a deployment now. */
  isHealthy(deployment: string): boolean {
    return this.areCircuitsClosed || this.#clock() >= this.#until(deployment)
  }

  /**
   * Returns the time until which a deployment is avoided, either because of its own failures or because of its account.
   */
  #until(deployment: string): number {
    const own = this.#circuits.find(deployment)?.until ?? 0
    return Math.max(own, this.#circuits.find(credentialIdOfDeployment(deployment))?.until ?? 0)
  }

  /** Returns the circuits of a deployment and of its account, if they exist. */
  #circuitsOf(deployment: string): readonly (readonly [string, CircuitState])[] {
    if (this.areCircuitsClosed) return NO_CIRCUITS
    return [deployment, credentialIdOfDeployment(deployment)].flatMap((id) => {
      const circuit = this.#circuits.find(id)
      return circuit === undefined ? [] : [[id, circuit] as const]
    })
  }

  /** Records the start of a request to a deployment. If the circuit was open, this is the half-open request. */
  attempted(deployment: string): void {
    const now = this.#clock()
    for (const [, circuit] of this.#circuitsOf(deployment)) {
      if (circuit.openings > 0 && now >= circuit.openUntil && now >= circuit.halfOpenUntil)
        circuit.halfOpenUntil = now + HALF_OPEN_TIMEOUT_MS
    }
  }

  /** Reports the health of a deployment. The counts cover this process only. */
  report(deployment: string): HealthReport {
    const tally = this.#tallies.get(deployment)
    const cooldownMs = this.#until(deployment) - this.#clock()
    if (cooldownMs > 0) return { ...UNKNOWN, ...tally, state: "cooling_down", cooldownMs }
    if (tally === undefined) return UNKNOWN
    return { state: tally.isFailing ? "failing" : "healthy", cooldownMs: 0, ...tally }
  }

  /** Records a response of a deployment. */
  succeeded(deployment: string): void {
    const tally = this.#tally(deployment)
    tally.successes++
    tally.isFailing = false
    if (this.onChange) tally.succeededAt = this.#clock()
    for (const [id, circuit] of this.#circuitsOf(deployment)) this.#recovered(id, circuit)
  }

  #recovered(id: string, circuit: CircuitState): void {
    // No recovery is reported for a circuit that is only half-open because of another node's failures. Its `failures`
    // are below the limit.
    if (circuit.openings > 0 && circuit.failures >= FAILURES_TO_OPEN) {
      this.#notify({ deployment: id, event: "recovered", cooldownMs: 0 })
    }
    if (this.#clock() >= circuit.overloadedUntil) this.#circuits.remove(id, circuit)
    else circuit.recover()
  }

  /**
   * Records a failed attempt and its effect on the deployment and its account.
   * @param status the vendor's HTTP status, if it responded.
   */
  failed(deployment: string, error: GatewayError, status?: number): void {
    if (NO_FAULT.has(error.kind)) return this.ended(deployment)
    const tally = this.#tally(deployment)
    tally.failures++
    tally.lastError = failureWords(error, status)
    tally.failedAt = this.#clock()
    tally.isFailing = true
    // After this failure, the attempt no longer tests the account.
    this.ended(deployment)
    if (!this.accountFailed(deployment, error, status)) {
      this.#judge(deployment, error, tally.lastError)
    }
  }

  /** Avoids the account from now on if an error concerns the whole account, and returns whether it does. */
  accountFailed(deployment: string, error: GatewayError, status?: number): boolean {
    const { providerError } = error.details
    if (providerError !== "account" && providerError !== "credential") return false
    this.rejected(credentialIdOfDeployment(deployment), failureWords(error, status))
    return true
  }

  #judge(deployment: string, { kind, details }: GatewayError, reason: string): void {
    switch (details.providerError) {
      case "permission":
        return this.rejected(deployment, reason)
      case "model":
        this.#rejectedFor(deployment, REJECTED_MS)
        return this.#notify({ deployment, event: "failed", cooldownMs: REJECTED_MS }, reason)
      case "streaming":
      case "allowance":
      case "generation":
        return
      default:
        if (kind === "upstream_overloaded") this.overloaded(deployment, details.retryAfter)
        else this.broke(deployment, reason)
    }
  }

  /**
   * Records an attempt that has no result for the deployment. If it was the half-open request, another request may take
   * its place.
   */
  ended(deployment: string): void {
    for (const [, circuit] of this.#circuitsOf(deployment)) circuit.halfOpenUntil = 0
  }

  /** Records an attempt that got no usable response. */
  broke(deployment: string, reason = ""): void {
    const circuit = this.#circuits.note(deployment)
    const now = this.#clock()
    // Requests that started before the circuit opened may fail later. They change nothing.
    if (now < circuit.openUntil) return
    circuit.halfOpenUntil = 0
    circuit.failures++
    if (circuit.failures < FAILURES_TO_OPEN) return
    const cooldownMs = Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** circuit.openings)
    circuit.openings++
    circuit.openUntil = now + cooldownMs
    this.#notify({ deployment, event: "failed", cooldownMs }, reason)
  }

  /**
   * Records that the vendor asked for fewer requests.
   * @param retryAfter the requested wait in seconds, if there is one.
   */
  overloaded(deployment: string, retryAfter?: number): void {
    const requested = retryAfter === undefined ? OVERLOAD_MS : retryAfter * 1_000
    const cooldownMs = Math.min(MAX_OVERLOAD_MS, Math.max(0, requested))
    this.#overloadedFor(deployment, cooldownMs)
    this.#notify({ deployment, event: "overloaded", cooldownMs })
  }

  /**
   * Records that the vendor rejects the operator's account.
   * @param id the account, or the deployment if only that is rejected.
   */
  rejected(id: string, reason = ""): void {
    this.#rejectedFor(id, REJECTED_MS)
    this.#notify({ deployment: id, event: "rejected", cooldownMs: REJECTED_MS }, reason)
  }

  /**
   * Applies an event from another node. A vendor's response applies to all nodes. A failed call may be caused by the
   * other node's network, so it only makes this node's next request the half-open request. A later success on this node
   * overrides a failure or a rejection.
   */
  applyReport({ deployment, event, cooldownMs, age }: AgedReport): void {
    const now = this.#clock()
    const hasSucceeded = this.#hasSucceeded(deployment, now - age)
    if (event === "overloaded") this.#overloadedFor(deployment, cooldownMs)
    else if (event === "recovered") this.#tryNow(deployment)
    else if (hasSucceeded) return
    else if (event === "rejected") this.#rejectedFor(deployment, Math.min(cooldownMs, REJECTED_MS))
    else this.#halfOpen(deployment)
  }

  /**
   * Whether a deployment or an account has succeeded.
   * @param id the id of the deployment or account.
   * @param since time by the clock.
   */
  #hasSucceeded(id: string, since: number): boolean {
    for (const [deployment, { succeededAt = -Infinity }] of this.#tallies) {
      const isAffected = deployment === id || credentialIdOfDeployment(deployment) === id
      if (isAffected && succeededAt > since) return true
    }
    return false
  }

  /** Makes the next request the half-open request, which opens the circuit if it fails. An open circuit stays open. */
  #halfOpen(deployment: string): void {
    const circuit = this.#circuits.note(deployment)
    if (circuit.openings > 0) return
    circuit.failures = FAILURES_TO_OPEN - 1
    circuit.openings = 1
  }

  /** Allows the half-open request immediately, because another node has succeeded. */
  #tryNow(deployment: string): void {
    const circuit = this.#circuits.find(deployment)
    if (circuit) circuit.openUntil = Math.min(circuit.openUntil, this.#clock())
  }

  #overloadedFor(deployment: string, cooldownMs: number): void {
    if (cooldownMs <= 0) return
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.overloadedUntil = Math.max(
      circuit.overloadedUntil,
      this.#clock() + Math.min(MAX_OVERLOAD_MS, cooldownMs),
    )
  }

  #rejectedFor(deployment: string, cooldownMs: number): void {
    if (cooldownMs <= 0) return
    const circuit = this.#circuits.note(deployment)
    circuit.halfOpenUntil = 0
    circuit.openings = Math.max(1, circuit.openings)
    circuit.failures = FAILURES_TO_OPEN
    circuit.openUntil = Math.max(circuit.openUntil, this.#clock() + cooldownMs)
  }

  #notify(report: DeploymentReport, reason = ""): void {
    this.onChange?.(report)
    this.onProblem?.(report, reason)
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
