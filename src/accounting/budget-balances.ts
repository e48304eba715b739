/** The balance of a budget in one period, in nanocredits. */
export interface BudgetBalance {
  /** The remaining amount of the budget, and the part of that amount that nodes have leased. */
  readonly posted: bigint
  readonly leased: bigint
  /**
   * All amounts ever allotted to the budget, including limit changes. `allotted` minus `posted` is the amount spent.
   */
  readonly allotted: bigint
}

/** A budget after a change to its limit. */
export interface ChangedBudget {
  readonly posted: bigint
  readonly allotted: bigint
  /** The amount that is still to be removed from the budget when nodes return it. */
  readonly excess: bigint
}

/** Returns the part of a limit that remains after spending. */
export function leftOf(limit: bigint, spent: bigint): bigint {
  return limit > spent ? limit - spent : 0n
}

/**
 * Applies a changed limit. The remaining amount grows or shrinks with the limit, but not below zero or below the leased
 * part.
 */
export function changeLimit({ posted, leased, allotted }: BudgetBalance, limit: bigint) {
  const spent = allotted - posted
  const left = leftOf(limit, spent)
  const kept = left > leased ? left : leased
  return { posted: kept, allotted: spent + kept, excess: kept - left } satisfies ChangedBudget
}

/** Removes the part of the excess that nodes have returned. */
export function takeExcess({ posted, leased, allotted }: BudgetBalance, excess: bigint) {
  const free = posted - leased
  const taken = excess < free ? excess : free
  return {
    posted: posted - taken,
    allotted: allotted - taken,
    excess: excess - taken,
  } satisfies ChangedBudget
}
