import type { RetentionSettings } from "../config/sections/storage.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { Store } from "../store/store.ts"

/** Milliseconds. */
const HOUR = 60 * 60_000
const LAST_WAIT = 1_000
/** Between steps of what is long, so that charges come first; milliseconds. */
const PAUSE = 20

interface UpkeepAlarms {
  upkeepFailed(error: unknown): void
  ledgerPruned(before: number, removed: number): void
}

export interface UpkeepParts {
  readonly database: Pick<ServingDatabase, "prepare">
  readonly store: Pick<Store, "integrity" | "keys">
  /** As the settings are at the moment. */
  readonly state: { readonly settings: { readonly retention: RetentionSettings } }
  readonly alarms: UpkeepAlarms
  /** Milliseconds; for tests. */
  readonly every?: number
}

/**
 * What a node does for its database while it runs: a process of months would else meet days that nothing is prepared for.
 * Old rows of the ledger go month by month, where the settings say so.
 */
export class Upkeep implements AsyncDisposable {
  readonly #parts: UpkeepParts
  readonly #timer: ReturnType<typeof setInterval>
  readonly #startedAt = Date.now()
  readonly #started = performance.now()
  #step: Promise<void> | undefined
  #isOver = false

  constructor(parts: UpkeepParts) {
    this.#parts = parts
    this.#timer = setInterval(() => {
      // One that takes longer than an hour is not joined by another.
      this.#step ??= this.#perform().finally(() => (this.#step = undefined))
    }, parts.every ?? HOUR)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    // What is long does not keep the process from ending: it is undone, or goes on with the next.
    await Promise.race([this.#step, Bun.sleep(LAST_WAIT)])
  }

  async #perform(): Promise<void> {
    const { database, alarms } = this.#parts
    try {
      await database.prepare(Date.now())
      const now = this.#earliestNow()
      await this.#parts.store.keys.forgetLabelBudgets(now)
      await this.#prune(now)
    } catch (error) {
      alarms.upkeepFailed(error)
    }
  }

  /** A clock that is set forward while the node runs must not remove anything: that cannot be undone. */
  #earliestNow(): number {
    return Math.min(Date.now(), this.#startedAt + performance.now() - this.#started)
  }

  async #prune(now: number): Promise<void> {
    const { store, state, alarms } = this.#parts
    const { receipts } = state.settings.retention
    if (receipts === null) return
    const before = monthBefore(now - receipts)
    let removed = 0
    for (let isBehind = true; isBehind && !this.#isOver;) {
      const step = await store.integrity.prune(before, recordOf(before, now))
      removed += step.removed
      ;({ isBehind } = step)
      if (step.isPruned) alarms.ledgerPruned(before, removed)
      if (isBehind) await Bun.sleep(PAUSE)
    }
  }
}

/** The beginning of the month of a moment, UTC. */
function monthBefore(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

function recordOf(before: number, now: number) {
  return {
    at: Math.floor(now),
    actorKind: "command",
    actorId: null,
    actorName: "retention",
    action: "ledger.prune",
    account: null,
    target: null,
    before: null,
    after: JSON.stringify({ until: new Date(before).toISOString() }),
    address: null,
  } as const
}
