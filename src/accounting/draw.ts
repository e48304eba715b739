/** What a node can charge one owner, an account or a budget, and what it has charged so far. Nanocredits. */
export interface OwnerShare {
  posted: bigint
  /** What is not leased. */
  free: bigint
  /** What is left of the node's lease. */
  lease: bigint
  spent: bigint
  /** The part of it that came out of the lease. */
  fromLease: bigint
}

/** What was drawn for a charge. */
export interface DrawnCharge {
  readonly request: string
  /** What was drawn: less than requested only when a lease was lost. */
  readonly charged: bigint
  /** The part of it that came out of the node's lease on the account. */
  readonly fromLease: bigint
  /** The part of it that came out of the node's lease on each of the key's budgets, in their order. */
  readonly fromBudgetLeases: readonly bigint[]
  /** The account's balance after it. */
  readonly balance: bigint
  /** Whether the request had expired before: its process was considered dead. */
  readonly late: boolean
}

/**
 * Draws a charge from the account and the budgets, as far as each covers it: from its lease and, if that was
 * lost meanwhile, from what is not leased. Never from another node's lease.
 */
export function draw(
  { request, amount }: { readonly request: string; readonly amount: bigint },
  account: OwnerShare,
  budgets: readonly OwnerShare[],
  late: boolean,
): DrawnCharge {
  let charged = min(amount, account.lease + account.free)
  for (const budget of budgets) charged = min(charged, budget.lease + budget.free)
  return {
    request,
    charged,
    fromLease: drawFrom(account, charged),
    fromBudgetLeases: budgets.map((budget) => drawFrom(budget, charged)),
    balance: account.posted,
    late,
  }
}

/** Draws what is covered, from the lease first. @returns the part that came out of the lease. */
function drawFrom(share: OwnerShare, amount: bigint): bigint {
  const fromLease = min(amount, share.lease)
  share.lease -= fromLease
  share.fromLease += fromLease
  share.free -= amount - fromLease
  share.spent += amount
  share.posted -= amount
  return fromLease
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
