import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, receiptOf } from "../support.ts"

const TOKENS = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
/** The cost of the tokens in dollars, at a price of 100 for the input and 1,000 for the output. */
const PRICED_DOLLARS = 0.006
const PRICED = 6_000_000n
const MULTIPLIER = 2n
const VENDORS = ["deepinfra", "openrouter", "perplexity", "xai", "openai-compatible"]

let vendor: ScriptedVendor
let gateway: TestGateway
let usage: JsonObject = TOKENS

beforeAll(async () => {
  vendor = startVendor(() => respond(CHAT, vendor.bodies.at(-1), { ...completion(), usage }))
  const price = { input: "100", output: "1000" }
  const model = { kind: "chat", price, multiplier: `${MULTIPLIER}` } as const
  const ids = VENDORS.flatMap((id) => [
    `${id}/exact`,
    `${id}/whole`,
    `${id}/streamed`,
    `${id}/daily`,
  ])
  gateway = await startGateway({
    providers: Object.fromEntries(VENDORS.map((id) => [id, provider(vendor.url, id)])),
    models: Object.fromEntries(ids.map((id) => [id, model])),
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Sends a chat whose response states a cost, and returns the costs that have been reported for the model. */
async function reportedFor(model: string, cost: JsonObject): Promise<unknown[]> {
  usage = { ...TOKENS, ...cost }
  const caller = await gateway.caller("10")
  const stream = model.endsWith("/streamed")
  const posted = await caller.post(CHAT, { model, messages: HELLO, stream })
  expect(posted.status, await posted.text()).toBe(200)
  expect(nanocredits((await receiptOf(caller, posted)).cost)).toBe(PRICED * MULTIPLIER)
  return gateway.heard
    .filter(({ name, facts }) => name === "priceBelowCost" && facts[1] === model)
    .map(({ facts }) => facts[2])
}

/** The members in which vendors state a cost in dollars. */
const FORMS: readonly [string, (dollars: number) => JsonObject][] = [
  ["deepinfra", (estimated_cost) => ({ estimated_cost })],
  ["openrouter", (cost) => ({ cost, cost_details: { upstream_inference_cost: cost } })],
  ["perplexity", (total_cost) => ({ cost: { total_cost, request_cost: 0.001 } })],
  ["xai", (dollars) => ({ cost_in_usd_ticks: Math.round(dollars * 1e10) })],
]

describe.each(FORMS)("a cost that %s states", (id, form) => {
  test.each(["whole", "streamed"])(
    "causes one report if it is above the price of a %s response",
    async (name) => {
      const reports = [{ stated: 9_000_000n, priced: PRICED }]
      expect(await reportedFor(`${id}/${name}`, form(PRICED_DOLLARS * 1.5))).toEqual(reports)
      expect(await reportedFor(`${id}/${name}`, form(PRICED_DOLLARS * 3))).toEqual(reports)
    },
  )

  test.each([PRICED_DOLLARS * 1.001, PRICED_DOLLARS, PRICED_DOLLARS / 2, 0, -1, 1e30])(
    "causes no report if it is %p dollars",
    async (dollars) => {
      expect(await reportedFor(`${id}/exact`, form(dollars))).toEqual([])
    },
  )
})

test("a stated cost causes no report if it is not a number", async () => {
  for (const cost of ["1", null, true, [1], { total_cost: "1" }, { total_cost: null }]) {
    expect(await reportedFor("openrouter/exact", { cost })).toEqual([])
  }
})

test("a stated cost in an unknown unit causes no report", async () => {
  expect(await reportedFor("openai-compatible/exact", { cost: 5 })).toEqual([])
})

test("a stated cost above the price is reported again on the next day", async () => {
  const cost = { estimated_cost: PRICED_DOLLARS * 1.5 }
  expect(await reportedFor("deepinfra/daily", cost)).toHaveLength(1)
  expect(await reportedFor("deepinfra/daily", cost)).toHaveLength(1)
  setSystemTime(Date.now() + 24 * 60 * 60 * 1000)
  try {
    expect(await reportedFor("deepinfra/daily", cost)).toHaveLength(2)
  } finally {
    setSystemTime()
  }
})
