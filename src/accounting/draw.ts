/**
 * The amounts that a node can charge to one owner and has charged so far, in nanocredits. An owner is an account or a
 * budget.
 */
export interface OwnerShare {
  posted: bigint
  /** The part of the balance that no node has leased. */
  free: bigint
  /** The remaining amount of the node's lease. */
  lease: bigint
  spent: bigint
  /** The part of `spent` that came out of the lease. */
  fromLease: bigint
}

/** The result of a charge. */
export interface DrawnCharge {
  readonly request: string
  /** The charged amount. It is less than requested only if a lease was lost. */
  readonly charged: bigint
  /** The part of the charge from the node's lease of the account. */
  readonly fromLease: bigint
  /** The parts of the charge from the node's leases of the key's budgets, in the order of the budgets. */
  readonly fromBudgetLeases: readonly bigint[]
  /** The account's balance after the charge. */
  readonly balance: bigint
  /** Whether the request's hold had already expired, because its process was considered dead. */
  readonly late: boolean
}

/**
 * Draws a charge from the account and the budgets, up to the amount that all of them cover. The amount comes from the
 * node's leases and, if a lease was lost, from the unleased part, but never from another node's lease.
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

/**
 * Draws a covered amount, from the lease first.
 * @returns the part that came from the lease.
 */
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
