import type { Keyring } from "../../keys/keyring.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { Store } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer } from "../answers.ts"
import { authenticated } from "../authenticated.ts"

export interface CreditServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly store: Store
  readonly ledger: Ledger
}

/** `GET /v1/credits`: what the key's account has, and what is left of the key's own budgets. */
export function getCredits(services: CreditServices) {
  return authenticated(services, async ({ key, id }) => {
    const [account, record] = await Promise.all([
      services.store.findAccount(key.account),
      services.store.findKey(key.id),
    ])
    const balance = account?.balance ?? 0n
    const debt = account?.debt ?? 0n
    const held = services.ledger.heldOf(key.account)
    return jsonAnswer(id, {
      object: "credits",
      account: account?.name ?? key.account,
      balance: formatCredits(balance),
      held: formatCredits(held),
      available: formatCredits(balance > held && debt === 0n ? balance - held : 0n),
      debt: formatCredits(debt),
      key: {
        id: key.id,
        name: key.name,
        budget: creditsOrNull(record?.budget),
        budget_left: creditsOrNull(record?.budgetLeft),
        daily_budget: creditsOrNull(record?.dailyBudget),
        daily_budget_left: creditsOrNull(record?.dailyLeft),
        monthly_budget: creditsOrNull(record?.monthlyBudget),
        monthly_budget_left: creditsOrNull(record?.monthlyLeft),
      },
    })
  })
}

function creditsOrNull(amount: bigint | null | undefined): string | null {
  return amount === null || amount === undefined ? null : formatCredits(amount)
}
