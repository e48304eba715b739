import { formatDecimal } from "#contract/decimal.ts"
import { RATE_DECIMAL_PLACES } from "../../catalog/entry.ts"
import type { Loss } from "../../canon/extra.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { Call } from "../../relay/request/call.ts"
import type { Estimate, EstimatedPart, EstimatedStep } from "../../relay/pipeline/estimate.ts"
import { readPeriodOwner } from "../../accounting/budget-periods.ts"
import { readLabel, readLabelHolder } from "../../accounting/label-budgets.ts"

/** Builds the response of `POST /v1/estimate`. */
export function estimateDocument(
  path: string,
  estimate: Estimate,
  { hidesCosts = false }: Pick<Call, "hidesCosts">,
) {
  const { min: least, max: most, rejection, clampedTo, balances, parts } = estimate
  const [account, ...budgets] = balances
  return {
    object: "estimate",
    path,
    least: formatCredits(least),
    most: formatCredits(most),
    is_covered: rejection === undefined,
    rejection: rejection === undefined ? null : errorDocument(rejection),
    max_tokens: clampedTo ?? null,
    balance: formatCredits(account?.posted ?? 0n),
    debt: formatCredits(account?.debt ?? 0n),
    budgets: budgets.map(({ owner, posted }) => {
      const { holder, period } = readPeriodOwner(owner) ?? { holder: owner, period: "total" }
      return { ...holderOf(holder, account?.owner), budget: period, left: formatCredits(posted) }
    }),
    parts: parts.map((part) => partDocument(part, hidesCosts)),
  }
}

/** Returns the owner of a budget, as shown to the caller. */
function holderOf(holder: string, account: string | undefined) {
  const label = readLabelHolder(holder)?.label
  if (label !== undefined) return { of: "label", ...readLabel(label) }
  return { of: holder === account ? "account" : "key" }
}

/** Returns the document of a part. If costs are hidden, it contains no route, and its rates include the multiplier. */
function partDocument(
  { model, min: least, max: most, lines, route }: EstimatedPart,
  hidesCosts: boolean,
) {
  return {
    model,
    least: formatCredits(least),
    most: formatCredits(most),
    lines: lines.map(({ name, quantity, rate, multiplier, amount, why }) => ({
      name,
      quantity: Number(quantity),
      per_million: hidesCosts
        ? formatDecimal(rate * multiplier, RATE_DECIMAL_PLACES)
        : formatCredits(rate),
      credits: formatCredits(amount),
      why,
    })),
    route: hidesCosts ? [] : route.map(stepDocument),
  }
}

function stepDocument({ deployment, isCircuitOpen, plan, losses, error }: EstimatedStep) {
  return {
    provider: deployment.provider,
    weight: deployment.weight,
    is_cooling_down: isCircuitOpen,
    way: plan === undefined ? null : plan.isVerbatim ? "verbatim" : "transcoded",
    dialect: plan?.dialect ?? null,
    calls: plan?.calls ?? 1,
    losses: losses.map(lossText),
    error: error === undefined ? null : errorDocument(error),
  }
}

/** Formats a loss as in the header `x-tollgate-losses`. */
function lossText({ name, effect }: Loss): string {
  return `${name}:${effect}`
}

function errorDocument({ kind, status, message }: GatewayError) {
  return { error_type: kind, status, message }
}
