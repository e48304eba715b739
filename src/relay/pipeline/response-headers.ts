import { type Loss, reportable } from "../../canon/extra.ts"
import { GatewayError } from "../../canon/errors.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { Call } from "../request/call.ts"
import type { ProviderClient } from "../request/provider-client.ts"

const LOSSES = "x-tollgate-losses"

/** Facts about the cost and the origin of a response. Amounts are in credits, as decimal text. */
export interface ResponseFacts {
  readonly provider?: string | undefined
  readonly losses: readonly Loss[]
  readonly cost?: bigint | undefined
  readonly balance?: bigint
}

/** Returns the provider that served a call; undefined if the caller does not see providers. */
export function shownProvider(
  { hidesCosts }: Pick<Call, "hidesCosts">,
  { provider }: Pick<ProviderClient, "provider">,
): string | undefined {
  return hidesCosts === true ? undefined : provider
}

/** Adds `x-tollgate-*` headers for the known facts. */
export function addResponseHeaders(headers: Record<string, string>, facts: ResponseFacts): void {
  if (facts.provider !== undefined) headers["x-tollgate-provider"] = facts.provider
  if (facts.cost !== undefined) headers["x-tollgate-cost"] = formatCredits(facts.cost)
  if (facts.balance !== undefined) headers["x-tollgate-balance"] = formatCredits(facts.balance)
  if (facts.losses.length > 0) headers[LOSSES] = formatLosses(facts.losses)
}

/** Returns the error together with the losses of the request, which may be its cause. */
export function withLosses(error: GatewayError, losses: readonly Loss[]): GatewayError {
  if (losses.length === 0) return error
  const headers = { ...error.details.headers, [LOSSES]: formatLosses(losses) }
  return new GatewayError(error.kind, error.message, { ...error.details, headers })
}

/** Returns the error for a caller that does not accept the loss of parts of the request. */
export function notCarried(losses: readonly Loss[]): GatewayError {
  const names = reportable(losses)
    .map(({ name }) => name)
    .join(", ")
  return new GatewayError(
    "not_carried",
    `This model's vendor does not support everything in the request: ${names}. Leave that out, or send it without 'x-tollgate-strict'.`,
    { fields: { losses: names } },
  )
}

function formatLosses(losses: readonly Loss[]): string {
  return losses.map(formatLoss).join(", ")
}

function formatLoss(loss: Loss): string {
  return `${loss.name}:${loss.effect}`
}
