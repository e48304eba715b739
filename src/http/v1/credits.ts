import type { Ledger } from "../../ledger/ledger.ts"
import { formatCredits } from "../../ledger/money.ts"
import { limitsDocument } from "../../management/account-document.ts"
import type { Store } from "../../store/store.ts"
import { jsonResponse } from "../responses.ts"
import type { Route } from "../server.ts"
import type { CallContext, Calls } from "./calls.ts"

export interface CreditServices {
  readonly store: Store
  readonly ledger: Ledger
}

/** `GET /v1/credits`: the credits of the key's account, and the key's remaining budgets. */
export function getCredits(calls: Calls, services: CreditServices): Route {
  return calls.respond("GET /v1/credits", async ({ id, caller }) =>
    jsonResponse(id, await creditsOf(caller, services)),
  )
}

async function creditsOf({ key }: CallContext["caller"], services: CreditServices) {
  const [account, record] = await Promise.all([
    services.store.accounts.find(key.account),
    services.store.keys.find(key.id),
  ])
  const balance = account?.balance ?? 0n
  const debt = account?.debt ?? 0n
  const { price_group, ...limits } = limitsDocument(account?.limits ?? {})
  const held = services.ledger.heldOf(key.account)
  return {
    object: "credits",
    account: account?.name ?? key.account,
    balance: formatCredits(balance),
    held: formatCredits(held),
    available: formatCredits(balance > held && debt === 0n ? balance - held : 0n),
    debt: formatCredits(debt),
    state: account?.state ?? "active",
    price_group,
    limits: {
      ...limits,
      daily_budget_left: creditsOrNull(account?.dailyLeft),
      monthly_budget_left: creditsOrNull(account?.monthlyLeft),
    },
    key: {
      id: key.id,
      name: key.name,
      budget: creditsOrNull(record?.budget),
      budget_left: creditsOrNull(record?.budgetLeft),
      daily_budget: creditsOrNull(record?.dailyBudget),
      daily_budget_left: creditsOrNull(record?.dailyLeft),
      monthly_budget: creditsOrNull(record?.monthlyBudget),
      monthly_budget_left: creditsOrNull(record?.monthlyLeft),
      is_paused: (record?.pausedAt ?? null) !== null,
      is_read_only: record?.isReadOnly ?? false,
      addresses: record?.addresses ?? null,
      models: record?.models ?? null,
      requests_per_minute: record?.requestsPerMinute ?? null,
      tokens_per_minute: record?.tokensPerMinute ?? null,
      concurrent_requests: record?.concurrentRequests ?? null,
    },
  }
}

function creditsOrNull(amount: bigint | null | undefined): string | null {
  return amount === null || amount === undefined ? null : formatCredits(amount)
}
