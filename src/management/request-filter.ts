import type { RequestFilterQuery } from "#contract/receipts.ts"
import { parseCredits } from "../ledger/money.ts"
import type { RequestFilter } from "../store/requests.ts"
import { type Actor, scopeOf } from "./actor.ts"
import { requireProviderVisibility } from "./cost-visibility.ts"
import { labelsOf } from "./usage.ts"

/** For each status, whether its requests have failed; undefined if this does not matter. */
const FAILED = { any: undefined, written_off: undefined, ok: false, failed: true } as const

/**
 * Builds the filter for requests of those accounts that the actor may see.
 * @throws GatewayError `not_found`, and `forbidden` for a provider if the actor does not see providers.
 */
export function filterOf(actor: Actor, query: RequestFilterQuery): RequestFilter {
  const { key, model, provider, endpoint, price_group, search, from, to } = query
  requireProviderVisibility(actor, provider && "provider")
  return {
    accounts: scopeOf(actor, query.account),
    key,
    model,
    provider,
    endpoint,
    price_group,
    labels: labelsOf(query),
    failed: FAILED[query.status ?? "any"],
    writtenOff: query.status === "written_off" ? true : undefined,
    search,
    minimumCost: query.min_cost === undefined ? undefined : parseCredits(query.min_cost),
    maximumCost: query.max_cost === undefined ? undefined : parseCredits(query.max_cost),
    minimumDuration: query.min_duration_ms,
    maximumDuration: query.max_duration_ms,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  }
}

/** Whether the log of rejected requests supports the filter. */
export function isSupportedByRejections(filter: RequestFilter): boolean {
  const { provider, price_group, labels = [], minimumCost, maximumCost } = filter
  const { minimumDuration, maximumDuration } = filter
  return (
    labels.length === 0 &&
    [provider, price_group, minimumCost, maximumCost, minimumDuration, maximumDuration].every(
      (value) => value === undefined,
    )
  )
}
