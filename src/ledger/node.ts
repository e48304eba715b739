import { hostname } from "node:os"
import type { NodeLocks, NodeState } from "../store/node-locks.ts"
import { nextEpoch, type NodeChanges, type NodeRecord, processOf } from "../store/nodes.ts"
import type { HoldRecord } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"

/** How often a node polls for changes where nothing else is said, milliseconds. */
const POLL_EVERY = 100
/** How long it waits when there is something to look at, so that what comes together is one look; milliseconds. */
const SOON = 20
/** How often it beats, and looks for dead nodes, where leases have no term; milliseconds. */
const BEAT_EVERY = 5_000
/** A node without a lock that can be checked is considered dead after this much silence, where leases have no term. */
const DEAD_AFTER = 120_000
/** Beats in a term of the leases. */
const BEATS = 3
/** The part of a term that a node leaves unused, for clocks that run at different speeds. */
const MARGIN = 1 / 8
/** A node that was itself silent this long was suspended; so may the others have been, which are resuming now. */
const SUSPENDED_AFTER = 15_000

export interface NodeListeners {
  onChanges(changes: NodeChanges): Promise<void>
  /** Whether it is unclear what the database has leased to this node: it joins again then. */
  isAstray?(): boolean
  /** Has joined again, under another id: nothing is leased to it now. */
  onRejoined(id: string): Promise<void>
  onExpired(holds: readonly HoldRecord[]): void
  onFailure(error: unknown): void
  /** Until when the node may spend from its leases, by `performance.now()`. Not called where leases have no term. */
  onRenewed?(until: number): void
}

export interface NodeOptions {
  /** Absent: this node holds no lock, and judges others by silence alone. */
  readonly locks?: NodeLocks
  /** How long leases last after a beat, milliseconds; absent or null: as long as the process. */
  readonly leaseTerm?: number | null
  /** Names the memory that it shares with other nodes of its machine. */
  readonly memory?: string
  /** How often it polls, milliseconds. */
  readonly pollEvery?: number
  /** Milliseconds; for tests. */
  readonly deadAfter?: number
}

/**
 * This process among those that share the database: it joins, beats, and reaps dead ones. Its id changes each time it joins
 * again, so that what was leased or posted before is never mixed with what comes after.
 */
export class Node implements AsyncDisposable {
  #id: string
  readonly #store: Store
  readonly #listeners: NodeListeners
  readonly #locks: NodeLocks | undefined
  readonly #deadAfter: number
  readonly #pollEvery: number
  readonly #leaseTerm: number | null
  readonly #memory: string | null
  readonly #beatEvery: number
  #lock: Disposable | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #polling: Promise<void> = Promise.resolve()
  /** Whether there is something to look at before its time. */
  #isAwaited = false
  #beatAt = 0
  #stopped = false

  private constructor(store: Store, id: string, listeners: NodeListeners, options: NodeOptions) {
    this.#store = store
    this.#id = id
    this.#listeners = listeners
    this.#locks = options.locks
    this.#leaseTerm = options.leaseTerm ?? null
    this.#memory = options.memory ?? null
    this.#beatEvery = this.#leaseTerm === null ? BEAT_EVERY : this.#leaseTerm / BEATS
    this.#deadAfter = options.deadAfter ?? this.#leaseTerm ?? DEAD_AFTER
    this.#pollEvery = options.pollEvery ?? POLL_EVERY
  }

  /** Joins, and takes back what dead processes have left leased. */
  static async join(
    store: Store,
    id: string,
    listeners: NodeListeners,
    options: NodeOptions = {},
  ): Promise<Node> {
    const node = new Node(store, id, listeners, options)
    // Before others see this node: a known node without a lock is dead.
    node.#lock = node.#locks?.take(id)
    await node.#join()
    await node.#reap()
    node.#next()
    return node
  }

  get id(): string {
    return this.#id
  }

  /** Another node has something for this one: it polls soon, and not only when it is due. */
  look(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    // While it polls there is no timer: it begins again afterwards.
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#next()
  }

  /** Stops polling and returns all leases. Settle everything first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#polling
    try {
      await this.#remove(this.id)
      this.#lock?.[Symbol.dispose]()
    } catch (error) {
      // Its lock is freed with the process, so that the next check finds it dead.
      this.#listeners.onFailure(error)
    }
  }

  async #join(): Promise<void> {
    const begunAt = performance.now()
    this.#beatAt = Date.now()
    await this.#store.nodes.join({
      id: this.id,
      process: process.pid,
      host: hostname(),
      beatAt: this.#beatAt,
      machine: this.#lock ? (this.#locks?.machine ?? null) : null,
      leaseTerm: this.#leaseTerm,
      memory: this.#memory,
    })
    this.#renewed(begunAt)
  }

  /** @param begunAt a moment before the database has noted the beat, by `performance.now()`. */
  #renewed(begunAt: number): void {
    if (this.#leaseTerm !== null)
      this.#listeners.onRenewed?.(begunAt + this.#leaseTerm * (1 - MARGIN))
  }

  #next(): void {
    if (this.#stopped) return
    const pause = this.#isAwaited ? Math.min(SOON, this.#pollEvery) : this.#pollEvery
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#isAwaited = false
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#listeners.onFailure(error))
        .then(() => this.#next())
    }, pause)
  }

  async #poll(): Promise<void> {
    const now = Date.now()
    // Whatever the clock was set to.
    const silence = Math.abs(now - this.#beatAt)
    const beats = silence >= this.#beatEvery
    const begunAt = performance.now()
    const changes = await this.#store.nodes.poll(this.id, beats ? now : null)
    if (beats) this.#beatAt = now
    if (!changes.known || this.#listeners.isAstray?.()) await this.#rejoin(changes.known)
    else if (beats) this.#renewed(begunAt)
    await this.#listeners.onChanges(changes)
    if (beats && silence < SUSPENDED_AFTER) await this.#reap()
  }

  /** @param isKnown whether the database still has the node that it was. */
  async #rejoin(isKnown: boolean): Promise<void> {
    const before = this.#id
    this.#id = nextEpoch(before)
    await this.#join()
    await this.#listeners.onRejoined(this.#id)
    if (isKnown) await this.#remove(before)
  }

  async #reap(): Promise<void> {
    const now = Date.now()
    for (const node of await this.#store.nodes.list()) {
      if (node.id === this.id) continue
      const state = this.#stateOf(node)
      const deadAfter = node.leaseTerm ?? this.#deadAfter
      if (state === "alive" || (state === "unknown" && now - node.beatAt <= deadAfter)) continue
      // It may beat at this moment: only silence that lasts ends a node that cannot be checked.
      const silence = state === "dead" ? undefined : deadAfter
      await this.#remove(node.id, silence)
      if (!this.#wasOwn(node)) this.#locks?.remove(node.id)
    }
  }

  async #remove(id: string, silence?: number): Promise<void> {
    const expired = await this.#store.nodes.remove(id, Date.now(), silence)
    if (expired.length > 0) this.#listeners.onExpired(expired)
  }

  /** Whether it is what this node was before it joined again. */
  #wasOwn({ id }: NodeRecord): boolean {
    return processOf(id) === processOf(this.#id)
  }

  /**
   * A node that holds its lock is alive, however silent: it may be stopped, and continue. One whose lock is
   * free is dead. Silence counts only where there is no lock to check: on another machine, or without locks.
   */
  #stateOf(node: NodeRecord): NodeState {
    const { id, machine } = node
    if (this.#wasOwn(node)) return "dead"
    return (machine === null ? undefined : this.#locks?.stateOf(id, machine)) ?? "unknown"
  }
}
