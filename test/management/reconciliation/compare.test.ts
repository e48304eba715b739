import { afterAll, beforeAll, expect, test } from "bun:test"
import { BillError } from "../../../src/management/reconciliation/bill.ts"
import { BilledUses } from "../../../src/management/reconciliation/cost-lists.ts"
import { reconciliation } from "tollgate-contract/reconciliations.ts"
import { ReportedDatabase } from "../../store/reported-requests.ts"
import { addCalls, billed, DAYS, FIRST, reconcile, SECOND } from "./support.ts"

let own: ReportedDatabase
beforeAll(async () => {
  own = await ReportedDatabase.open()
  await addCalls(
    own.database.store,
    { day: FIRST, model: "gpt-plain", input: 1_000_000, output: 500_000 },
    { day: FIRST, model: "gpt-stale", input: 1_000_000, output: 500_000 },
    { day: FIRST, model: "gpt-tier", input: 1_000_000 },
    { day: FIRST, model: "gpt-served-fast", input: 1_000_000, modes: ["priority"] },
    { day: FIRST, model: "gpt-fast", input: 1_000_000, modes: ["priority"] },
    { day: FIRST, model: "gpt-abandoned", input: 1_000_000, estimated: true },
    { day: FIRST, model: "gpt-lost", input: 1_000_000, lost: "0.25" },
    { day: FIRST, model: "gpt-shared", input: 1_000_000 },
    { day: FIRST, model: "gpt-absent", input: 1_000_000 },
    { day: FIRST, model: "gpt-group", input: 100, output: 10, providerCost: "0.5" },
    { day: SECOND, model: "gpt-plain", input: 333_333 },
    { day: SECOND, model: "gpt-later", input: 1 },
  )
})
afterAll(() => own[Symbol.asyncDispose]())

const INPUT = { day: FIRST, class: "input", quantity: 1_000_000n } as const

test("the bill comparison names the likely cause of each difference", async () => {
  const result = await reconcile(own.database.store, [
    billed({ ...INPUT, model: "gpt-plain-2026-03-05", cost: "1" }),
    billed({ ...INPUT, model: "gpt-plain", class: "output", quantity: 500_000n, cost: "1" }),
    // In this bill, output costs a quarter more than the gateway's price.
    billed({ ...INPUT, model: "gpt-stale", cost: "1" }),
    billed({ ...INPUT, model: "gpt-stale", class: "output", quantity: 500_000n, cost: "1.25" }),
    billed({ ...INPUT, model: "gpt-tier", cost: "0.5", tiers: ["flex"] }),
    billed({ ...INPUT, model: "gpt-served-fast", cost: "0.5" }),
    // Both names stand for the same tier.
    billed({ ...INPUT, model: "gpt-fast", cost: "2", tiers: ["fast"] }),
    billed({ ...INPUT, model: "gpt-abandoned", quantity: 1_200_000n, cost: "1.2" }),
    billed({ ...INPUT, model: "gpt-lost", quantity: 1_900_000n, cost: "1.9" }),
    billed({ ...INPUT, model: "gpt-shared", quantity: 3_000_000n, requests: 3, cost: "3" }),
    billed({ ...INPUT, model: "gpt-unknown", cost: "0.75" }),
    billed({ day: FIRST, model: "gpt-group", quantity: 110n, cost: "0.5" }),
    billed({ day: SECOND, model: "gpt-plain", quantity: 333_333n, cost: "0.333333001" }),
    billed({ day: SECOND, model: "gpt-later", cost: "2" }),
  ])
  expect(reconciliation.parse(result)).toEqual(result)
  const causes = result.lines.map(({ model, class: name, difference, cause }) => [
    model,
    name,
    difference,
    cause,
  ])
  expect(causes.toSorted()).toEqual([
    ["gpt-abandoned", "input", "0.2", "abandoned_calls"],
    ["gpt-absent", "input", "-1", "not_billed"],
    ["gpt-fast", "input", "1", "stale_price"],
    ["gpt-later", null, "1.999999", "unclear"],
    ["gpt-lost", null, "0.65", "abandoned_calls"],
    ["gpt-plain", null, "0.000000001", "rounding"],
    ["gpt-served-fast", "input", "-0.5", "tier"],
    ["gpt-shared", "input", "2", "other_clients"],
    ["gpt-stale", "output", "0.25", "stale_price"],
    ["gpt-tier", "input", "-0.5", "tier"],
    ["gpt-unknown", "input", "0.75", "other_clients"],
  ])
  expect(result).toMatchObject({
    billed: "16.933333001",
    ledger: "12.083334",
    corrected: "0",
    difference: "4.849999001",
    posted: null,
  })
  expect(result.lines[0]).toMatchObject({ billed_quantity: "3000000", ledger_quantity: "1000000" })
  expect(result.causes.find(({ cause }) => cause === "other_clients")).toEqual({
    cause: "other_clients",
    lines: 2,
    difference: "2.75",
  })
})

test("the bill comparison names one factor if the amounts of several models all differ by it", async () => {
  const days = { from: Date.parse(FIRST), until: Date.parse(SECOND) }
  const row = (model: string, name: "input" | "output", quantity: bigint, cost: string) =>
    billed({ day: FIRST, model, class: name, quantity, cost })
  const factored = await reconcile(
    own.database.store,
    [
      row("gpt-plain", "input", 1_000_000n, "0.9"),
      row("gpt-plain", "output", 500_000n, "0.9"),
      row("gpt-stale", "input", 1_000_000n, "0.9"),
      row("gpt-stale", "output", 500_000n, "0.9"),
    ],
    { days },
  )
  const named = factored.lines.filter(({ model }) => /plain|stale/.test(model))
  expect(named.map(({ cause }) => cause)).toEqual(["factor", "factor", "factor", "factor"])
})

test("the bill comparison finds the names of models and service tiers in descriptions", async () => {
  await using other = await ReportedDatabase.open()
  const { store } = other.database
  await addCalls(
    store,
    { day: FIRST, model: "anthropic.claude-sonnet-4-20250514-v1:0", input: 1_000_000 },
    { day: FIRST, model: "gemini-2.5-flash", output: 500_000 },
    { day: FIRST, model: "my-gpt", input: 2_000_000 },
    { day: FIRST, model: "nova-lite", input: 1_000_000 },
  )
  const described = { ...INPUT, isDescription: true }
  const rows = [
    billed({ ...described, model: "USE1-Claude4Sonnet-input-tokens", cost: "1" }),
    billed({
      ...described,
      model: "Gemini 2.5 Flash Text Output - Predictions",
      class: "output",
      quantity: 500_000n,
      cost: "1",
    }),
    // A model without calls. The words of its name include the words of the model above.
    billed({ ...described, model: "Gemini 2.5 Flash Lite Text Input", cost: "7" }),
    billed({ ...described, model: "USE1-NovaLite-input-tokens-batch", cost: "0.5" }),
    billed({ ...described, model: "gpt 4o Inp global", quantity: 2_000_000n, cost: "2" }),
  ]
  const models = ["gemini-2.5-flash-lite"]
  const aliases = new Map([["GPT 4o Inp global", "my-gpt"]])
  const { lines } = await reconcile(store, rows, { models, aliases })
  expect(lines).toMatchObject([
    { model: "gemini-2.5-flash-lite", difference: "7", cause: "other_clients" },
    { model: "nova-lite", difference: "-0.5", cause: "tier" },
  ])
})

test("the bill comparison compares fees without a model with the total of all models", async () => {
  await using other = await ReportedDatabase.open()
  const { store } = other.database
  await addCalls(
    store,
    { day: FIRST, model: "gpt-plain", input: 1_000_000, searches: 2 },
    { day: FIRST, model: "gpt-other", input: 1_000_000, searches: 3 },
  )
  const fee = { day: FIRST, model: "", class: "search", quantity: 5n } as const
  const tokens = ["gpt-plain", "gpt-other"].map((model) => billed({ ...INPUT, model, cost: "1" }))
  expect(await reconcile(store, [...tokens, billed({ ...fee, cost: "0.05" })])).toMatchObject({
    difference: "0",
    lines: [],
  })
  const { lines } = await reconcile(store, [...tokens, billed({ ...fee, cost: "0.06" })])
  expect(lines).toMatchObject([{ model: "", class: "search", cause: "stale_price" }])
})

test("the bill comparison groups by key if the bill contains key names", async () => {
  await using other = await ReportedDatabase.open()
  const { store } = other.database
  const call = { day: FIRST, model: "gpt-plain", input: 1_000_000 }
  await addCalls(store, { ...call, credential: "main" }, { ...call, credential: "backup" })
  const rows = [
    billed({ ...INPUT, model: "gpt-plain", key: "key_1", cost: "1" }),
    billed({ ...INPUT, model: "gpt-plain", key: "key_2", cost: "1.5", quantity: 1_500_000n }),
    billed({ ...INPUT, model: "gpt-plain", key: "key_3", cost: "4" }),
  ]
  const keys = new Map([
    ["key_1", "main"],
    ["key_2", "backup"],
  ])
  const { lines } = await reconcile(store, rows, { keys })
  expect(lines).toMatchObject([
    { key: "key_3", difference: "4", cause: "other_clients" },
    { key: "backup", difference: "0.5", cause: "other_clients" },
  ])
  const whole = await reconcile(store, rows)
  expect(whole.lines).toMatchObject([{ key: null, difference: "4.5" }])
})

test("the bill comparison posts no correction if the bill lacks a day that has calls", async () => {
  const rows = [billed({ ...INPUT, model: "gpt-plain", cost: "1" })]
  const rejected = await reconcile(own.database.store, rows, { reason: "x" }).catch(
    (error: unknown) => error,
  )
  expect(rejected).toBeInstanceOf(BillError)
  expect((rejected as BillError).message).toContain(
    `the ledger has calls on ${SECOND}, and the bill has no rows for that day`,
  )
  const all = { from: 0, until: Date.UTC(2027, 0, 1) }
  expect(await own.database.store.reconciliations.listCorrections(all)).toEqual([])
})

test("the bill comparison posts nothing if one correction exceeds the maximum amount", async () => {
  await using other = await ReportedDatabase.open()
  const { store } = other.database
  const rows = [
    billed({ day: SECOND, model: "gpt-plain", cost: "1" }),
    billed({ day: FIRST, model: "gpt-plain", cost: "9223372036.854775808" }),
  ]
  const rejected = await reconcile(store, rows, { reason: "x" }).catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(BillError)
  expect((rejected as BillError).message).toBe(
    `the correction for ${FIRST} is 9223372036.854775808 credits, above the maximum of 9223372036.854775807`,
  )
  expect(await store.reconciliations.list()).toEqual([])
  expect(await store.reconciliations.listCorrections(DAYS)).toEqual([])
  const credit = [billed({ day: FIRST, model: "gpt-plain", cost: "-9223372036.854775808" })]
  expect(
    await reconcile(store, credit, { reason: "x" }).catch((error: unknown) => error),
  ).toBeInstanceOf(BillError)
  const largest = [billed({ day: FIRST, model: "gpt-plain", cost: "9223372036.854775807" })]
  expect(await reconcile(store, largest, { reason: "x" })).toMatchObject({
    posted: { amount: "9223372036.854775807" },
  })
})

test("the bill comparison rejects days whose receipts were removed", async () => {
  const { store } = own.database
  const pruned = { ...(await store.integrity.findPrunedRows()), until: Date.parse(SECOND) }
  const afterPruning = {
    ...store,
    integrity: { ...store.integrity, findPrunedRows: async () => pruned },
  }
  const rejected = await reconcile(afterPruning, []).catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(BillError)
  expect((rejected as BillError).message).toBe(`the receipts before ${SECOND} were removed`)
})

test("the bill comparison counts usage once if the class of its cost is unknown", () => {
  const uses = new BilledUses()
  const place = { day: 0, model: "gpt-plain", key: null }
  const cost = { class: null, amount: 5n, places: 9, quantity: 10n, tier: null }
  uses.addCost(place, cost)
  uses.addCost({ ...place, model: "gpt-costed" }, cost)
  uses.addUsage(place, { quantities: { input: 10n }, tier: null, requests: null })
  expect(uses.rows()).toMatchObject([
    { model: "gpt-plain", class: null, quantity: 0n, amount: 5n },
    { model: "gpt-costed", class: null, quantity: 10n },
    { model: "gpt-plain", class: "input", quantity: 10n, amount: 0n },
  ])
})
