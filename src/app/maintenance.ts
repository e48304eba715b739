import { HOUR_MS } from "#contract/durations.ts"
import { waitAtMost } from "../canon/wait-at-most.ts"
import type { RetentionSettings } from "../config/sections/storage.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { Store } from "../store/store.ts"

/** Maximum wait for the current step at shutdown. */
const LAST_WAIT_MS = 1_000
/** Pause between steps of pruning, so that charges take precedence. */
const PAUSE_MS = 20

interface MaintenanceAlarms {
  maintenanceFailed(error: unknown): void
  ledgerPruned(before: number, removed: number): void
}

export interface MaintenanceParts {
  readonly database: Pick<ServingDatabase, "prepare">
  readonly store: Pick<Store, "integrity" | "keys">
  readonly state: { readonly settings: { readonly retention: RetentionSettings } }
  readonly alarms: MaintenanceAlarms
  /** Interval between checks in milliseconds; set by tests. */
  readonly every?: number
}

/**
 * Maintains the database while a node runs. It prepares the database for the next days, and removes old ledger rows
 * month by month according to the settings.
 */
export class Maintenance implements AsyncDisposable {
  readonly #parts: MaintenanceParts
  readonly #timer: ReturnType<typeof setInterval>
  readonly #startedAt = Date.now()
  readonly #started = performance.now()
  #step: Promise<void> | undefined
  #isOver = false

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
    this.#timer = setInterval(() => {
      // Steps never overlap, even if one takes longer than an hour.
      this.#step ??= this.#perform().finally(() => (this.#step = undefined))
    }, parts.every ?? HOUR_MS)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    // A long step does not delay shutdown, because it is rolled back or the next process continues it.
    await waitAtMost(this.#step, LAST_WAIT_MS)
  }

  async #perform(): Promise<void> {
    const { database, alarms } = this.#parts
    try {
      await database.prepare(Date.now())
      const now = this.#earliestNow()
      await this.#parts.store.keys.forgetLabelBudgets(now)
      await this.#prune(now)
    } catch (error) {
      alarms.maintenanceFailed(error)
    }
  }

  /** Returns the current time, but ignores forward jumps of the clock, because removed rows cannot be restored. */
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
      if (isBehind) await Bun.sleep(PAUSE_MS)
    }
  }
}

/** Returns the start of the UTC month that contains a moment. */
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
