import { expect, test } from "bun:test"
import type { Account } from "tollgate-contract/accounts.ts"
import {
  checkLimit,
  limitBodyOf,
  limitTexts,
  limitValuesOf,
} from "../../console/src/pages/accounts/limit-values.ts"
import { pendingText } from "../../console/src/pages/models/pending-text.ts"

const ACCOUNT: Account = {
  id: "acc_1",
  name: "Ada",
  created_at: "2026-11-23T12:00:00.000Z",
  balance: "1",
  debt: "0",
  stores_content: false,
  state: "active",
  models: ["openai/*"],
  requests_per_minute: 1_200,
  tokens_per_minute: null,
  concurrent_requests: null,
  max_keys: 0,
  max_invitations: null,
  max_hourly_spend_ratio: 5,
  daily_budget: "5",
  daily_budget_left: "4.5",
  monthly_budget: null,
  monthly_budget_left: null,
  price_group: null,
}

test("the account limits form returns the original values if the user changes nothing", () => {
  expect(limitBodyOf(limitValuesOf(ACCOUNT))).toEqual({
    models: ["openai/*"],
    requests_per_minute: 1_200,
    tokens_per_minute: null,
    concurrent_requests: null,
    max_keys: 0,
    max_invitations: null,
    max_hourly_spend_ratio: 5,
    daily_budget: "5",
    monthly_budget: null,
  })
})

test("an empty limit field means no limit, and several models can be pasted as one text", () => {
  const empty = { ...limitValuesOf(ACCOUNT), models: [], max_keys: " " }
  expect(limitBodyOf(empty)).toMatchObject({ models: null, max_keys: null })
  const pasted = { ...limitValuesOf(ACCOUNT), models: ["openai/*, google/* "] }
  expect(limitBodyOf(pasted).models).toEqual(["openai/*", "google/*"])
})

test("a limit is a whole number, and zero is allowed for keys, but not for requests", () => {
  expect(checkLimit("1,200", 1)).toBeNull()
  expect(checkLimit("", 1)).toBeNull()
  expect(checkLimit("0", 0)).toBeNull()
  expect(checkLimit("0", 1)).toBe("Enter a whole number above zero")
  expect(checkLimit("1", 2)).toBe("Enter a whole number of at least 2")
  for (const value of ["none", "-1", "1.5", "1e3", "12345678901"]) {
    expect(checkLimit(value, 0), value).toBe("Enter a whole number")
  }
})

test("only limits that are set are listed", () => {
  expect(limitTexts(ACCOUNT)).toEqual([
    { label: "Models", value: "openai/*" },
    { label: "Requests per minute", value: "1,200" },
    { label: "Keys that are not revoked", value: "0" },
    { label: "Pause when hourly spend exceeds (× usual)", value: "5" },
    { label: "Credits a day", value: "5.00, 4.50 left" },
  ])
})

test("the summary of a pending price list counts its changes", () => {
  const counts = { increased: 12, decreased: 0, added: 1_000, removed: 1 }
  expect(pendingText(counts)).toBe("12 increased, 1,000 added, 1 removed")
  expect(pendingText({ increased: 0, decreased: 0, added: 0, removed: 0 })).toBe("No price changes")
})
