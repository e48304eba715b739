/** The balance of a budget in one period, in nanocredits. */
export interface BudgetBalance {
  /** The remaining amount, and the part of it that nodes have leased. */
  readonly posted: bigint
  readonly leased: bigint
  /** Everything that it was ever given, including changes. `allotted` minus `posted` is the amount spent. */
  readonly allotted: bigint
}

/** A budget after a change of its limit. */
export interface ChangedBudget {
  readonly posted: bigint
  readonly allotted: bigint
  /** The amount still to be removed once nodes return it. */
  readonly excess: bigint
}

/** Returns the rest of a limit after spending. */
export function leftOf(limit: bigint, spent: bigint): bigint {
  return limit > spent ? limit - spent : 0n
}

/**
 * Applies a changed limit: the remaining amount grows or shrinks with it, but not below zero or below the leased part.
 */
export function changeLimit({ posted, leased, allotted }: BudgetBalance, limit: bigint) {
  const spent = allotted - posted
  const left = leftOf(limit, spent)
  const kept = left > leased ? left : leased
  return { posted: kept, allotted: spent + kept, excess: kept - left } satisfies ChangedBudget
}

/** Removes as much of the excess as nodes have returned. */
export function takeExcess({ posted, leased, allotted }: BudgetBalance, excess: bigint) {
  const free = posted - leased
  const taken = excess < free ? excess : free
  return {
    posted: posted - taken,
    allotted: allotted - taken,
    excess: excess - taken,
  } satisfies ChangedBudget
}
