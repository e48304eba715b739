import { showWholeReceipt } from "../../relay/billing/receipt.ts"
import type { StoreReader } from "../../store/store.ts"
import type { CallerResult } from "./callers.ts"

/** The result of comparing the ledger with the callers' results. Amounts are in nanocredits. */
export interface DrillVerdict {
  readonly requests: number
  /** Number of complete responses. */
  readonly served: number
  readonly rejected: number
  /** Number of rejected requests by error code. */
  readonly reasons: Readonly<Record<string, number>>
  /** Number of responses that were cut off, and of requests without a response. */
  readonly cut: number
  readonly unreachable: number
  readonly charged: bigint
  /** The amount charged beyond the credits of the account. */
  readonly overspent: bigint
  /** Request ids of complete responses that were not charged, except those whose cost is zero. */
  readonly lost: readonly string[]
}

const PAGE = 1_000
/** Tolerance for nodes whose clocks are fast. */
const DAY_MS = 24 * 60 * 60 * 1_000

/** Compares the callers' results with the ledger. No request may be running. */
export async function judgeDrill(
  store: StoreReader,
  account: string,
  results: readonly CallerResult[],
): Promise<DrillVerdict> {
  const { given, charged, requests } = await chargesOf(store, account)
  const of = (outcome: CallerResult["outcome"]): readonly CallerResult[] =>
    results.filter((one) => one.outcome === outcome)
  const whole = of("whole").map(({ requestId }) => requestId ?? "unnamed")
  const uncharged = whole.filter((request) => !requests.has(request))
  const free = await freeOf(store, uncharged)
  return {
    requests: results.length,
    served: whole.length,
    rejected: of("rejected").length,
    reasons: countedBy(of("rejected").map(({ code }) => code ?? "unknown")),
    cut: of("cut").length,
    unreachable: of("unreachable").length,
    charged,
    overspent: charged > given ? charged - given : 0n,
    lost: uncharged.filter((request) => !free.has(request)),
  }
}

async function chargesOf(store: StoreReader, account: string) {
  const requests = new Set<string>()
  let given = 0n
  let charged = 0n
  for (let after = 0; ;) {
    const entries = await store.entries.list(account, after, PAGE)
    for (const { kind, amount, request } of entries) {
      if (kind === "charge") charged -= amount
      else given += amount
      if (request !== null) requests.add(request)
    }
    const last = entries.at(-1)
    if (!last) return { given, charged, requests }
    after = last.number
  }
}

/** Returns those requests whose receipt has a cost of zero, as with a model that costs nothing. */
async function freeOf(store: StoreReader, requests: readonly string[]): Promise<Set<string>> {
  const free = new Set<string>()
  const range = { from: 0, until: Date.now() + DAY_MS }
  for (let start = 0; start < requests.length; start += PAGE) {
    const page = requests.slice(start, start + PAGE)
    for (const record of await store.settlements.findReceipts(page, range)) {
      const { status, cost } = showWholeReceipt(record)
      if (status === "settled" && cost === "0") free.add(record.request)
    }
  }
  return free
}

function countedBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
