import { expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import { percentOf, upcomingChanges } from "../../src/catalog/prices/upcoming.ts"
import type { ModelSettings } from "../../src/config/settings.ts"
import { facts, provider, settings, vendors } from "./support.ts"

const NOW = Date.parse("2026-11-27T12:00:00Z")
const at = (text: string): number => Date.parse(text)

function changes(models: Record<string, ModelSettings>) {
  const made = settings({ mine: provider("acme"), kin: provider("other") }, models)
  const { catalog } = buildCatalog({ settings: made, facts, vendors, clock: () => NOW })
  return upcomingChanges(catalog.list(), NOW).map((change) => ({
    ...change,
    at: new Date(change.at).toISOString(),
  }))
}

test("upcoming price changes are listed by date, with the changed values", () => {
  const price = {
    input: "1",
    output: "2",
    tiers: [{ above: 1000, output: "3" }],
    modes: { fast: "2" },
    periods: [
      { name: "winter", from: at("2026-12-01"), until: at("2027-03-01"), input: "1.5" },
      { from: at("2027-03-01"), modes: { fast: "3", slow: "0.5" } },
      { name: "past", until: at("2026-11-01"), input: "9" },
    ],
  }
  const fast = { name: "mode fast", before: "2", after: "3" }
  const slow = { name: "mode slow", before: "1", after: "0.5" }
  const increase = { name: "input", before: "1", after: "1.5" }
  const decrease = { name: "input", before: "1.5", after: "1" }
  const dated = { model: "mine/own", isRecurring: false }
  expect(changes({ "mine/own": { price } })).toEqual([
    { ...dated, at: "2026-12-01T00:00:00.000Z", period: "winter", parts: [increase] },
    { ...dated, at: "2027-03-01T00:00:00.000Z", period: null, parts: [decrease, fast, slow] },
  ])
  expect([increase, decrease, { name: "x", before: "0", after: "1" }].map(percentOf)).toEqual([
    "+50 %",
    "-33 %",
    "",
  ])
})

test("upcoming price changes of a mode with its own rates are listed by class", () => {
  const periods = [{ from: at("2027-01-01"), modes: { flex: { input: "0.6", output: "1" } } }]
  const price = { input: "1", output: "2", modes: { flex: { input: "0.5" } }, periods }
  const [change] = changes({ "mine/own": { price } })
  expect(change?.parts).toEqual([
    { name: "mode flex: input", before: "0.5", after: "0.6" },
    { name: "mode flex: output", before: "2", after: "1" },
  ])
})

test("the next price change of a weekly period is listed", () => {
  const price = {
    input: "1",
    output: "2",
    periods: [
      { name: "evening", hours: ["18:00-21:00"], input: "0.5" },
      { name: "night", hours: ["21:00-24:00"], input: "0.5" },
      { name: "later", from: at("2030-01-01"), hours: ["00:00-18:00"], input: "3" },
    ],
  }
  const recurring = { model: "mine/own", isRecurring: true }
  const begin = { name: "input", before: "1", after: "0.5" }
  const dated = { name: "input", before: "0.5", after: "3" }
  expect(changes({ "mine/own": { price } })).toEqual([
    { ...recurring, at: "2026-11-27T18:00:00.000Z", period: "evening", parts: [begin] },
    {
      model: "mine/own",
      isRecurring: false,
      at: "2030-01-01T00:00:00.000Z",
      period: "later",
      parts: [dated],
    },
  ])
  const half = (hours: string) => ({ hours: [hours], input: "0.5" })
  const allNight = { ...price, periods: [half("10:00-13:00"), half("13:00-15:00")] }
  const end = { name: "input", before: "0.5", after: "1" }
  expect(changes({ "mine/own": { price: allNight } })).toEqual([
    { ...recurring, at: "2026-11-27T15:00:00.000Z", parts: [end] },
  ])
})

test("upcoming price changes name each deployment, and a model group has no changes", () => {
  const period = { from: at("2027-01-01"), output: "4" }
  const price = { input: "1", output: "2" }
  const deployments = [
    { provider: "mine", model: "a", weight: 1, price: { ...price, periods: [period] } },
    { provider: "kin", model: "b", weight: 1, price },
  ]
  const group = { members: [{ model: "mine/both", weight: 1 }] }
  expect(changes({ "mine/both": { deployments }, "auto/all": group })).toMatchObject([
    { model: "mine/both", deployment: "mine/a", parts: [{ name: "output" }] },
  ])
})
