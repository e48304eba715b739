import type { Loss } from "../canon/chat.ts"
import { formatCredits } from "../ledger/money.ts"

/** The headers that say what an answer cost and where it came from. Amounts are credits, decimal. */
export interface AnswerFacts {
  readonly provider?: string
  readonly losses: readonly Loss[]
  readonly cost?: bigint
  readonly balance?: bigint
}

/** Adds `x-tollgate-*` headers for what is known. */
export function addAnswerHeaders(headers: Record<string, string>, facts: AnswerFacts): void {
  if (facts.provider !== undefined) headers["x-tollgate-provider"] = facts.provider
  if (facts.cost !== undefined) headers["x-tollgate-cost"] = formatCredits(facts.cost)
  if (facts.balance !== undefined) headers["x-tollgate-balance"] = formatCredits(facts.balance)
  if (facts.losses.length > 0) {
    headers["x-tollgate-losses"] = facts.losses.map(formatLoss).join(", ")
  }
}

function formatLoss(loss: Loss): string {
  return `${loss.name}:${loss.effect}`
}
