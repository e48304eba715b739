/** What is kept of a budget in one period, nanocredits. */
export interface BudgetBalance {
  /** What is left, and the part of it that nodes have leased. */
  readonly posted: bigint
  readonly leased: bigint
  /** All that it was ever given, changes included: less what is posted, it is what was spent. */
  readonly allotted: bigint
}

/** A budget after a change of its limit. */
export interface ChangedBudget {
  readonly posted: bigint
  readonly allotted: bigint
  /** What is yet to be taken away, once nodes give it back. */
  readonly excess: bigint
}

/** What a limit leaves once so much is spent. */
export function leftOf(limit: bigint, spent: bigint): bigint {
  return limit > spent ? limit - spent : 0n
}

/** What is left grows or shrinks with the limit, not below zero, and not below what nodes have leased. */
export function changeLimit({ posted, leased, allotted }: BudgetBalance, limit: bigint) {
  const spent = allotted - posted
  const left = leftOf(limit, spent)
  const kept = left > leased ? left : leased
  return { posted: kept, allotted: spent + kept, excess: kept - left } satisfies ChangedBudget
}

/** Takes away what nodes have given back, of what is yet to be taken away. */
export function takeExcess({ posted, leased, allotted }: BudgetBalance, excess: bigint) {
  const free = posted - leased
  const taken = excess < free ? excess : free
  return {
    posted: posted - taken,
    allotted: allotted - taken,
    excess: excess - taken,
  } satisfies ChangedBudget
}
