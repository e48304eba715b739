import { hostname } from "node:os"
import type { NodeLocks } from "../store/node-locks.ts"
import type { NodeChanges, NodeRecord } from "../store/nodes.ts"
import type { HoldRecord } from "../store/settlements.ts"
import type { Store } from "../store/store.ts"

/** How often a node polls for changes where nothing else is said, milliseconds. */
const POLL_EVERY = 100
/** How often it beats, and looks for dead nodes; milliseconds. */
const BEAT_EVERY = 5_000
/** A node without a lock that can be checked is considered dead after this much silence. */
const DEAD_AFTER = 120_000
/** A node that was itself silent this long was suspended; so may the others have been, which are resuming now. */
const SUSPENDED_AFTER = 15_000

export interface NodeListeners {
  onChanges(changes: NodeChanges): Promise<void>
  /** This node was considered dead and has just rejoined. */
  onForgotten(): void
  onExpired(holds: readonly HoldRecord[]): void
  onFailure(error: unknown): void
}

export interface NodeOptions {
  /** Absent: this node holds no lock, and judges others by silence alone. */
  readonly locks?: NodeLocks
  /** How often it polls, milliseconds. */
  readonly pollEvery?: number
  /** Milliseconds; for tests. */
  readonly deadAfter?: number
}

/** This process among those that share the database: it joins, beats, and reaps dead ones. */
export class Node implements AsyncDisposable {
  readonly id: string
  readonly #store: Store
  readonly #listeners: NodeListeners
  readonly #locks: NodeLocks | undefined
  readonly #deadAfter: number
  readonly #pollEvery: number
  #lock: Disposable | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #polling: Promise<void> = Promise.resolve()
  #beatAt = 0
  #stopped = false

  private constructor(store: Store, id: string, listeners: NodeListeners, options: NodeOptions) {
    this.#store = store
    this.id = id
    this.#listeners = listeners
    this.#locks = options.locks
    this.#deadAfter = options.deadAfter ?? DEAD_AFTER
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

  /** Stops polling and returns all leases. Settle everything first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#polling
    try {
      const expired = await this.#store.nodes.remove(this.id, Date.now())
      this.#lock?.[Symbol.dispose]()
      if (expired.length > 0) this.#listeners.onExpired(expired)
    } catch (error) {
      // Its lock is freed with the process, so that the next check finds it dead.
      this.#listeners.onFailure(error)
    }
  }

  #join(): Promise<void> {
    this.#beatAt = Date.now()
    return this.#store.nodes.join({
      id: this.id,
      process: process.pid,
      host: hostname(),
      beatAt: this.#beatAt,
      machine: this.#lock ? (this.#locks?.machine ?? null) : null,
    })
  }

  #next(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#listeners.onFailure(error))
        .then(() => this.#next())
    }, this.#pollEvery)
  }

  async #poll(): Promise<void> {
    const now = Date.now()
    // Whatever the clock was set to.
    const silence = Math.abs(now - this.#beatAt)
    const beats = silence >= BEAT_EVERY
    const changes = await this.#store.nodes.poll(this.id, beats ? now : null)
    if (beats) this.#beatAt = now
    if (!changes.known) {
      await this.#join()
      this.#listeners.onForgotten()
    }
    await this.#listeners.onChanges(changes)
    if (beats && silence < SUSPENDED_AFTER) await this.#reap()
  }

  async #reap(): Promise<void> {
    const now = Date.now()
    for (const node of await this.#store.nodes.list()) {
      if (node.id === this.id || !this.#isDead(node, now)) continue
      const expired = await this.#store.nodes.remove(node.id, now)
      this.#locks?.remove(node.id)
      if (expired.length > 0) this.#listeners.onExpired(expired)
    }
  }

  /**
   * A node that holds its lock is alive, however silent: it may be stopped, and continue. One whose lock is
   * free is dead. Silence counts only where there is no lock to check: on another machine, or without locks.
   */
  #isDead(node: NodeRecord, now: number): boolean {
    const { id, machine } = node
    const state = machine === null ? undefined : this.#locks?.stateOf(id, machine)
    if (state === "alive" || state === "dead") return state === "dead"
    return now - node.beatAt > this.#deadAfter
  }
}
