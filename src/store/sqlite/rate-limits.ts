import type { Database } from "bun:sqlite"
import {
  MAX_RATE_DEBT_MINUTES,
  RATE_ROUNDING,
  type RateGrant,
  type RateOrder,
  type SlotOrder,
} from "../rate-limits.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface BucketRow {
  readonly level: number
  readonly at: bigint
}

/** Stores the rate limits of keys. Methods that write must run inside a transaction. */
export class RateLimits {
  readonly #find
  readonly #write
  readonly #otherSlots
  readonly #writeSlots

  constructor(database: Database) {
    this.#find = database.prepare<BucketRow, [string, string]>(
      "SELECT level, at FROM rate_buckets WHERE key = ? AND unit = ?",
    )
    this.#write = database.prepare<unknown, [string, string, number, bigint]>(
      "INSERT OR REPLACE INTO rate_buckets (key, unit, level, at) VALUES (?, ?, ?, ?)",
    )
    this.#otherSlots = database.prepare<{ slots: bigint }, [string, string]>(
      `SELECT coalesce(sum(slots), 0) AS slots FROM running_slots AS other
       WHERE key = ? AND node <> ? AND EXISTS (
         SELECT 1 FROM nodes WHERE nodes.id = other.node OR nodes.id GLOB other.node || '.*')`,
    )
    this.#writeSlots = database.prepare<unknown, [string, string, bigint]>(
      "INSERT OR REPLACE INTO running_slots (key, node, slots) VALUES (?, ?, ?)",
    )
  }

  leaseSlots({ key, node, limit, running, wanted }: SlotOrder): number {
    const others = Number(this.#otherSlots.get(key, node)?.slots ?? 0n)
    const slots = Math.max(running, Math.min(wanted, limit - others))
    this.#writeSlots.run(key, node, BigInt(slots))
    return slots
  }

  lease(order: RateOrder, machines: number, now: number): RateGrant {
    const { key, unit, limit, used } = order
    const row = this.#find.get(key, unit)
    const at = Math.max(now, Number(row?.at ?? 0))
    const drained = row ? ((at - Number(row.at)) * limit) / 60_000 : 0
    const before = Math.max(0, used + Math.max(0, (row?.level ?? 0) - drained))
    const granted = grantOf(order, before, machines)
    const level = Math.min(before + granted, Math.max(before, limit * MAX_RATE_DEBT_MINUTES))
    this.#write.run(key, unit, level, BigInt(at))
    return { granted, level }
  }
}

function grantOf({ limit, first, needed, ahead }: RateOrder, level: number, machines: number) {
  if (first > limit) return level <= limit * RATE_ROUNDING ? first : 0
  if (level + first > limit * (1 + RATE_ROUNDING)) return 0
  if (level + needed > limit) return Math.max(first, limit - level)
  return needed + Math.min(ahead, (limit - level - needed) / machines)
}

export function rateLimitMethods(
  transactions: Transactions,
  limits: RateLimits,
): DirectStore["rateLimits"] {
  return {
    lease: (orders, machines) =>
      transactions.atomically(() => {
        const now = Date.now()
        return orders.map((order) => limits.lease(order, Math.max(1, machines), now))
      }),
    leaseSlots: (order) => transactions.atomically(() => limits.leaseSlots(order)),
  }
}
