import { describe, expect, test } from "bun:test"
import {
  bodyOf,
  changesOf,
  EMPTY_KEY,
  KEY_CHECKS,
  valuesOf,
} from "../../console/src/pages/keys/key-values.ts"
import { NEWEST_FIRST, sortKeys } from "../../console/src/pages/keys/sort-keys.ts"
import { isFiltered, requestQueryOf } from "../../console/src/pages/requests/request-filters.ts"
import { type Key, keyChange } from "tollgate-contract/keys.ts"
import { requestQuery } from "tollgate-contract/receipts.ts"

const key: Key = {
  id: "key_1",
  account: "acc_1",
  name: "production",
  hint: "abcd",
  status: "active",
  is_paused: false,
  is_read_only: false,
  may_change: true,
  created_by: null,
  rejected_with: null,
  addresses: ["10.0.0.0/8"],
  aliases: { fast: "sandbox/echo" },
  models: ["sandbox/*"],
  budget: { limit: "10", left: "4", resets_at: null },
  daily_budget: null,
  monthly_budget: null,
  requests_per_minute: 60,
  tokens_per_minute: null,
  concurrent_requests: 4,
  created_at: "2026-11-01T00:00:00.000Z",
  expires_at: "2026-12-01T10:20:30.456Z",
  origins: null,
  grace_until: [],
  last_used_at: null,
  spent: "6",
}

describe("the key form", () => {
  test("creates a key without limits if it is empty", () => {
    const body = bodyOf({ ...EMPTY_KEY, name: " laptop " })
    expect(keyChange.parse(body)).toEqual({
      name: "laptop",
      models: null,
      aliases: null,
      budget: null,
      daily_budget: null,
      monthly_budget: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null,
      expires_at: null,
      origins: null,
      addresses: null,
      is_read_only: false,
    })
  })

  test("converts typed values to the API's format", () => {
    const body = bodyOf(
      {
        ...EMPTY_KEY,
        name: "x",
        expiry: "30",
        budget: "1,000.50",
        requests_per_minute: "1 000",
        concurrent_requests: "8",
        models: ["a/*, b/c", ","],
        origins: ["https://App.example.com, http://localhost:3000"],
        aliases: ["fast=a/b, slow=b/c", "fast=b/d"],
      },
      Date.parse("2026-11-21T00:00:00Z"),
    )
    expect(keyChange.parse(body)).toMatchObject({
      budget: "1000.50",
      requests_per_minute: 1000,
      concurrent_requests: 8,
      models: ["a/*", "b/c"],
      origins: ["https://App.example.com", "http://localhost:3000"],
      aliases: { fast: "b/d", slow: "b/c" },
      expires_at: "2026-12-21T00:00:00.000Z",
    })
  })

  test("sends only changes, and keeps the seconds of an expiry", () => {
    const values = valuesOf(key)
    expect(changesOf(key, values)).toEqual({})
    expect(changesOf(key, { ...values, name: "new", budget: "" })).toEqual({
      name: "new",
      budget: null,
    })
    expect(changesOf(key, { ...values, aliases: [] })).toEqual({ aliases: null })
    expect(changesOf(key, { ...values, expiry: "never" })).toEqual({ expires_at: null })
  })

  test("shows errors at their fields", () => {
    expect(KEY_CHECKS.name("  ")).toBe("Enter a name")
    expect(KEY_CHECKS.budget("")).toBeNull()
    expect(KEY_CHECKS.budget("0")).not.toBeNull()
    expect(KEY_CHECKS.budget("-5")).not.toBeNull()
    expect(KEY_CHECKS.budget("0.000000001")).toBeNull()
    expect(KEY_CHECKS.aliases(["fast=a/b", "x=y/z"])).toBeNull()
    for (const text of ["fast", "fast=", "=a/b", "fast=b", "a=b=c"]) {
      expect([text, KEY_CHECKS.aliases([text])]).not.toEqual([text, null])
    }
    expect(KEY_CHECKS.requests_per_minute("1.5")).not.toBeNull()
    expect(KEY_CHECKS.requests_per_minute("60")).toBeNull()
    expect(KEY_CHECKS.expires_at("", { ...EMPTY_KEY, expiry: "custom" })).toBe("Enter a time")
  })
})

describe("filters of the request list", () => {
  const now = Date.parse("2026-11-21T12:00:00Z")

  test("produce API queries", () => {
    const query = requestQueryOf({ time: "24h", key: "key_1", status: "failed" }, now)
    expect(requestQuery.parse(query)).toMatchObject({
      key: "key_1",
      status: "failed",
      from: "2026-11-20T12:00:00.000Z",
    })
  })

  test("ignore invalid values in the address", () => {
    const query = requestQueryOf({ time: "custom", from: "soon", status: "weird" }, now)
    expect(query).toMatchObject({ from: undefined, to: undefined, status: undefined })
  })

  test("count as set if any of them has a value", () => {
    expect(isFiltered({})).toBe(false)
    expect(isFiltered({ time: "all" })).toBe(false)
    expect(isFiltered({ search: "upstream" })).toBe(true)
    expect(isFiltered({ time: "1h" })).toBe(true)
  })
})

test("keys are sorted exactly, and missing times come last in both directions", () => {
  const used = "2026-11-02T00:00:00.000Z"
  const expensive = { ...key, id: "expensive", name: "Beta", spent: "9007199254740993.000000001" }
  const mostExpensive = {
    ...expensive,
    id: "most_expensive",
    name: "alpha",
    spent: "9007199254740993.000000002",
  }
  const late = { ...key, id: "late", created_at: used, last_used_at: used }
  const ids = (by: string, order: "asc" | "desc") =>
    sortKeys([expensive, late, mostExpensive], { by, order }).map(({ id }) => id)
  expect(ids("spent", "desc")).toEqual(["most_expensive", "expensive", "late"])
  expect(ids("name", "asc")).toEqual(["most_expensive", "expensive", "late"])
  expect(ids("used", "asc")[0]).toBe("late")
  expect(ids("used", "desc")[0]).toBe("late")
  expect(sortKeys([expensive, late], NEWEST_FIRST)).toEqual([late, expensive])
})
