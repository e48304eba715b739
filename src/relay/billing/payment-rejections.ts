import { GatewayError } from "../../canon/errors.ts"
import { UnstorableError } from "../../ledger/divided-batch.ts"
import type { BalanceSnapshot } from "../../ledger/hold.ts"
import { formatCredits } from "../../ledger/money.ts"
import { readPeriodOwner } from "../../accounting/budget-periods.ts"
import { readLabel, readLabelHolder } from "../../accounting/label-budgets.ts"

/** The smallest cost in nanocredits of a request that is not free. */
export const SMALLEST_COST = 1n

/** Seconds to wait if a running request of the same caller holds the credits. */
const RESERVED_RETRY_AFTER = 1

/**
 * Throws the error for a charge that could not be written. The ledger has already reported its failure.
 * @param isUnclear whether the database may have stored the charge before it became unavailable.
 */
export function rejectUnwritten(cause: unknown, isUnclear: boolean): never {
  if (cause instanceof UnstorableError) {
    throw new GatewayError(
      "ledger_unavailable",
      "The ledger cannot store the charge for this response, so the response was not released in full. Nothing was charged. Send the id of this request to the operator.",
      { cause },
    )
  }
  const consequence = isUnclear
    ? "The request was charged only if GET /v1/receipts later returns its receipt."
    : "Nothing was charged."
  throw new GatewayError(
    "ledger_unavailable",
    `The charge for this response could not be written, so the response was not released in full. ${consequence} Try again shortly.`,
    { cause },
  )
}

/**
 * Returns the error that states why no credits could be held.
 * @param min the smallest amount that is sufficient for any response.
 */
export function rejectionOf(
  balances: readonly BalanceSnapshot[],
  needed: bigint,
  min: bigint,
): GatewayError {
  const [account, ...budgets] = balances
  if (account && account.debt > 0n) return debtRejection(account, needed)
  if (account && account.posted < min) return insufficient(account, needed)
  const budget = budgets.find(({ posted }) => posted < min)
  return budget
    ? budgetExceeded(budget, needed, account?.owner)
    : reservedRejection(needed, balances)
}

function insufficient(account: BalanceSnapshot, needed: bigint): GatewayError {
  return new GatewayError(
    "insufficient_credits",
    `The account's balance of ${formatCredits(account.posted)} credits does not cover this request, which ${costWords(needed)}. Add credits, or lower max_tokens or the length of the prompt.`,
    { fields: { balance: formatCredits(account.posted), required: formatCredits(needed) } },
  )
}

/** Describes the cost of a request. Before the body is read, the only known fact is that the request is not free. */
function costWords(needed: bigint): string {
  return needed <= SMALLEST_COST ? "is not free" : `may cost up to ${formatCredits(needed)}`
}

/** Returns the error for an account whose credits first have to pay its debt. */
export function debtRejection(account: BalanceSnapshot, needed: bigint): GatewayError {
  const debt = formatCredits(account.debt)
  return new GatewayError(
    "insufficient_credits",
    `The account owes ${debt} credits, because a card payment was taken back. All requests are rejected until it is paid: add credits. The first ${debt} credits pay the debt.`,
    {
      fields: {
        balance: formatCredits(account.posted),
        required: formatCredits(needed),
        debt,
      },
    },
  )
}

/** Used for budgets without a period. Only keys have such budgets. */
const TOTAL = { holder: undefined, period: "total", until: undefined } as const
const BUDGET_NAMES = { total: "budget", day: "daily budget", month: "monthly budget" } as const

function budgetExceeded(
  budget: BalanceSnapshot,
  needed: bigint,
  account: string | undefined,
): GatewayError {
  const { holder, period, until } = readPeriodOwner(budget.owner) ?? TOTAL
  const { kind, whose, ...label } = holderOf(holder, account)
  const left = `${whose} has ${formatCredits(budget.posted)} credits of its ${BUDGET_NAMES[period]} left, and this request ${costWords(needed)}.`
  const fields = {
    balance: formatCredits(budget.posted),
    required: formatCredits(needed),
    budget: period,
    ...label,
  }
  if (until === undefined) {
    const advice = "Ask for a larger budget, or lower max_tokens."
    return new GatewayError(kind, `${left} ${advice}`, { fields })
  }
  const resetsAt = new Date(until).toISOString()
  return new GatewayError(
    kind,
    `${left} It starts again at ${resetsAt}. Wait until then, ask for a larger budget, or lower max_tokens.`,
    { fields: { ...fields, resets_at: resetsAt } },
  )
}

/** Returns the owner of a budget for use in messages. */
function holderOf(holder: string | undefined, account: string | undefined) {
  const label = holder === undefined ? undefined : readLabelHolder(holder)?.label
  if (label !== undefined) {
    const named = readLabel(label)
    const whose = "user" in named ? `The end user '${named.user}'` : `The tag '${named.tag}'`
    return { kind: "label_budget_exceeded", whose, ...named } as const
  }
  return holder !== undefined && holder === account
    ? ({ kind: "account_budget_exceeded", whose: "This account" } as const)
    : ({ kind: "key_budget_exceeded", whose: "This key" } as const)
}

export function reservedRejection(
  needed: bigint,
  balances: readonly BalanceSnapshot[],
): GatewayError {
  const posted = balances[0]?.posted ?? 0n
  return new GatewayError(
    "credits_reserved",
    `Your running requests hold the credits that this one needs (up to ${formatCredits(needed)}). Try again when they have finished.`,
    {
      retryAfter: RESERVED_RETRY_AFTER,
      fields: { balance: formatCredits(posted), required: formatCredits(needed) },
    },
  )
}
