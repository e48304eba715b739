import { expect, test } from "bun:test"
import type { Account } from "tollgate-contract/accounts.ts"
import { accountBlock } from "../../console/src/format/account-block.ts"

const ACCOUNT: Account = {
  id: "acc_1",
  name: "acme",
  created_at: "2026-11-01T00:00:00.000Z",
  balance: "5",
  debt: "0",
  stores_content: false,
  state: "active",
  models: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  max_keys: null,
  max_invitations: null,
  max_hourly_spend_ratio: null,
  daily_budget: null,
  daily_budget_left: null,
  monthly_budget: null,
  monthly_budget_left: null,
  price_group: null,
}

test.each<[string, Partial<Account>, string, string]>([
  ["a suspended account", { state: "paused", balance: "0" }, "is suspended", "account"],
  ["a closed account", { state: "closed" }, "is closed", "account"],
  ["a debt", { debt: "2.5" }, "owes 2.50 credits", "credits"],
  ["an empty balance", { balance: "0" }, "has no credits", "credits"],
  ["a nearly empty balance", { balance: "0.00003" }, "has 0.00003 credits left", "credits"],
  ["a used daily budget", { daily_budget_left: "0" }, "daily budget", "account"],
  ["a used monthly budget", { monthly_budget_left: "-0.1" }, "monthly budget", "account"],
])("%s is shown with its next step", (_name, part, title, step) => {
  const block = accountBlock({ ...ACCOUNT, ...part })
  expect(block?.title).toContain(title)
  expect(block?.step).toBe(step as "credits")
  expect(block?.isComplete).toBe(part.balance !== "0.00003")
})

test.each<[string, Partial<Account>]>([
  ["credits", {}],
  ["little credits", { balance: "0.01" }],
  ["unused budgets", { daily_budget_left: "1", monthly_budget_left: "0.000000001" }],
])("an account with %s has no notice", (_name, part) => {
  expect(accountBlock({ ...ACCOUNT, ...part })).toBeUndefined()
})
