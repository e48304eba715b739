import type { Database } from "bun:sqlite"
import { LONGEST_RATE_DEBT, RATE_ROUNDING, type RateGrant, type RateOrder } from "../rate-limits.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

interface BucketRow {
  readonly level: number
  readonly at: bigint
}

/** The limits of keys. What writes expects to run inside a transaction. */
export class RateLimits {
  readonly #find
  readonly #write

  constructor(database: Database) {
    this.#find = database.prepare<BucketRow, [string, string]>(
      "SELECT level, at FROM rate_buckets WHERE key = ? AND unit = ?",
    )
    this.#write = database.prepare<unknown, [string, string, number, bigint]>(
      "INSERT OR REPLACE INTO rate_buckets (key, unit, level, at) VALUES (?, ?, ?, ?)",
    )
  }

  lease(order: RateOrder, machines: number, now: number): RateGrant {
    const { key, unit, limit, used } = order
    const row = this.#find.get(key, unit)
    const at = Math.max(now, Number(row?.at ?? 0))
    const drained = row ? ((at - Number(row.at)) * limit) / 60_000 : 0
    const before = Math.max(0, used + Math.max(0, (row?.level ?? 0) - drained))
    const granted = grantOf(order, before, machines)
    const level = Math.min(before + granted, Math.max(before, limit * LONGEST_RATE_DEBT))
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
  }
}
