import { hostname } from "node:os"
import type { NodeLocks, NodeState } from "../store/node-locks.ts"
import { nextEpoch, type NodeChanges, type NodeRecord, processOf } from "../store/nodes.ts"
import type { HoldRecord } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"

/** Default interval between polls for changes. */
const POLL_INTERVAL_MS = 100
/** Delay of an early poll, so that simultaneous changes only cause one poll. */
const EARLY_POLL_MS = 20
/** Interval of heartbeats and of checks for dead nodes, if leases have no term. */
const HEARTBEAT_INTERVAL_MS = 5_000
/** Silence after which a node whose lock cannot be checked is considered dead, if leases have no term. */
const DEAD_AFTER_MS = 120_000
/** Number of heartbeats per lease term. */
const HEARTBEATS_PER_TERM = 3
/** Silence after which a node does not respond, if leases have no term. It may still be alive. */
export const UNRESPONSIVE_AFTER_MS = HEARTBEATS_PER_TERM * HEARTBEAT_INTERVAL_MS
/** The fraction of a lease term that a node leaves unused, because clocks may run at different speeds. */
const TERM_MARGIN = 1 / 8
/**
 * Delay of a heartbeat after which a node must have been suspended. Other nodes may have been suspended too and may be
 * about to resume.
 */
const SUSPENDED_AFTER_MS = 10_000

export interface NodeListeners {
  onChanges(changes: NodeChanges): Promise<void>
  /** Whether the node must rejoin, because its leases in the database are unclear. */
  mustRejoin?(): boolean
  /** Called before the node rejoins and its leases are returned. The leases must not be spent any more. */
  onLeaving?(): Promise<void>
  /** Called after the node has joined again with a new id and without leases. It must not throw. */
  onRejoined(id: string): void
  onExpired(holds: readonly HoldRecord[]): void
  onFailure(error: unknown): void
  /**
   * Called with the moment, by `performance.now()`, until which the node may spend from its leases. Not called if
   * leases have no term.
   */
  onRenewed?(until: number): void
}

export interface NodeOptions {
  /** The locks of nodes. If absent, this node holds no lock and detects dead nodes only by their silence. */
  readonly locks?: NodeLocks
  /** Lifetime of leases after a heartbeat, in milliseconds; absent or null if leases last as long as the process. */
  readonly leaseTerm?: number | null
  /** Identifies the memory that the node shares with other nodes of its machine. */
  readonly memory?: string
  /** Interval between polls, in milliseconds. */
  readonly pollIntervalMs?: number
  /** Silence in milliseconds after which a node is considered dead; set by tests. */
  readonly deadAfter?: number
}

/**
 * Represents this process as a node of the shared database. It joins, sends heartbeats, and removes dead nodes. It gets
 * a new id each time it rejoins, so that earlier leases and postings are never mixed with later ones.
 */
export class Node implements AsyncDisposable {
  #id: string
  readonly #store: Store
  readonly #listeners: NodeListeners
  readonly #locks: NodeLocks | undefined
  readonly #deadAfter: number
  readonly #pollIntervalMs: number
  readonly #leaseTerm: number | null
  readonly #memory: string | null
  readonly #heartbeatIntervalMs: number
  #lock: Disposable | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #polling: Promise<void> = Promise.resolve()
  /** Whether an early poll was requested. */
  #isEarlyPollDue = false
  #beatAt = 0
  #stopped = false

  private constructor(store: Store, id: string, listeners: NodeListeners, options: NodeOptions) {
    this.#store = store
    this.#id = id
    this.#listeners = listeners
    this.#locks = options.locks
    this.#leaseTerm = options.leaseTerm ?? null
    this.#memory = options.memory ?? null
    this.#heartbeatIntervalMs =
      this.#leaseTerm === null ? HEARTBEAT_INTERVAL_MS : this.#leaseTerm / HEARTBEATS_PER_TERM
    this.#deadAfter = options.deadAfter ?? this.#leaseTerm ?? DEAD_AFTER_MS
    this.#pollIntervalMs = options.pollIntervalMs ?? POLL_INTERVAL_MS
  }

  /** Joins the database, and returns the leases of dead processes. */
  static async join(
    store: Store,
    id: string,
    listeners: NodeListeners,
    options: NodeOptions = {},
  ): Promise<Node> {
    const node = new Node(store, id, listeners, options)
    // The lock is taken before other nodes see this node, because a known node without a lock is considered dead.
    node.#lock = node.#locks?.take(id)
    await node.#join(id)
    await node.#reap()
    node.#schedulePoll()
    return node
  }

  get id(): string {
    return this.#id
  }

  /** Requests an early poll because another node has announced a change. */
  pollSoon(): void {
    if (this.#isEarlyPollDue) return
    this.#isEarlyPollDue = true
    // Without a timer, a poll is in progress. The next poll will be early.
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#schedulePoll()
  }

  /** Stops polling and returns all leases. All requests must have been settled before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#polling
    try {
      await this.#remove(this.id)
      this.#lock?.[Symbol.dispose]()
    } catch (error) {
      // The lock is released when the process ends. The next check then finds that the node is dead.
      this.#listeners.onFailure(error)
    }
  }

  async #join(id: string): Promise<void> {
    const begunAt = performance.now()
    this.#beatAt = Date.now()
    await this.#store.nodes.join({
      id,
      process: process.pid,
      host: hostname(),
      beatAt: this.#beatAt,
      machine: this.#lock ? (this.#locks?.machine ?? null) : null,
      leaseTerm: this.#leaseTerm,
      memory: this.#memory,
    })
    this.#renewed(begunAt)
  }

  /**
   * Renews the lease term.
   * @param begunAt a moment before the database recorded the heartbeat, by `performance.now()`.
   */
  #renewed(begunAt: number): void {
    if (this.#leaseTerm !== null)
      this.#listeners.onRenewed?.(begunAt + this.#leaseTerm * (1 - TERM_MARGIN))
  }

  #schedulePoll(): void {
    if (this.#stopped) return
    const pause = this.#isEarlyPollDue
      ? Math.min(EARLY_POLL_MS, this.#pollIntervalMs)
      : this.#pollIntervalMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#isEarlyPollDue = false
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#listeners.onFailure(error))
        .then(() => this.#schedulePoll())
    }, pause)
  }

  async #poll(): Promise<void> {
    const now = Date.now()
    // The absolute value also causes a heartbeat if the clock was set back.
    const silence = Math.abs(now - this.#beatAt)
    const beats = silence >= this.#heartbeatIntervalMs
    const begunAt = performance.now()
    const changes = await this.#store.nodes.poll(this.id, beats ? now : null)
    if (beats) this.#beatAt = now
    if (!changes.known || this.#listeners.mustRejoin?.()) await this.#rejoin(changes.known)
    else if (beats) this.#renewed(begunAt)
    await this.#listeners.onChanges(changes)
    if (beats && silence < this.#heartbeatIntervalMs + SUSPENDED_AFTER_MS) await this.#reap()
  }

  /**
   * Joins again with a new id. The node keeps its previous id until the record of that id is removed. If a step fails,
   * the next poll therefore repeats all steps, and no lease remains with a forgotten id.
   * @param isKnown whether the database still has the previous node.
   */
  async #rejoin(isKnown: boolean): Promise<void> {
    const id = nextEpoch(this.#id)
    await this.#join(id)
    if (isKnown) {
      await this.#listeners.onLeaving?.()
      await this.#remove(this.#id)
    }
    this.#id = id
    this.#listeners.onRejoined(id)
  }

  async #reap(): Promise<void> {
    const now = Date.now()
    for (const node of await this.#store.nodes.list()) {
      if (node.id === this.id) continue
      const state = this.#stateOf(node)
      const deadAfter = node.leaseTerm ?? this.#deadAfter
      if (state === "alive" || (state === "unknown" && now - node.beatAt <= deadAfter)) continue
      // If its lock cannot be checked, the node is only removed after a long silence, because it may be sending a
      // heartbeat right now.
      const silence = state === "dead" ? undefined : deadAfter
      await this.#remove(node.id, silence)
      if (!this.#wasOwn(node)) this.#locks?.remove(node.id)
    }
  }

  async #remove(id: string, silence?: number): Promise<void> {
    const expired = await this.#store.nodes.remove(id, Date.now(), silence)
    if (expired.length > 0) this.#listeners.onExpired(expired)
  }

  /** Whether a node record belongs to this process, usually under an earlier id. */
  #wasOwn({ id }: NodeRecord): boolean {
    return processOf(id) === processOf(this.#id)
  }

  /**
   * Returns the state of a node. A node that holds its lock is alive. Even if it is silent, it may only be suspended
   * and resume later. A node whose lock is free is dead. Silence only matters if the lock cannot be checked, because
   * the node is on another machine or the file system does not support locks.
   */
  #stateOf(node: NodeRecord): NodeState {
    const { id, machine } = node
    if (this.#wasOwn(node)) return "dead"
    return (machine === null ? undefined : this.#locks?.stateOf(id, machine)) ?? "unknown"
  }
}
