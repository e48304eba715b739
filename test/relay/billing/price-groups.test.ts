import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PriceGroup } from "tollgate-contract/price-groups.ts"
import type { Usage } from "tollgate-contract/usage.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { App } from "../../../src/app.ts"
import {
  provider,
  recorder,
  simulated,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { ask, asked, errorOf, startManaged } from "../../http/admin/support.ts"
import { startVendor, wholeResponse, type ScriptedVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, receiptOf, receiptsOf } from "../support.ts"

const YEAR = 365 * 86_400_000
/** The default cost in nanocredits of ten input tokens and one output token, at 1 and 2 credits per million. */
const USUAL = 12_000n

let gateway: TestGateway
let vendor: ScriptedVendor
/** Resolving it lets the next request that contains "wait" continue. */
let gate = Promise.withResolvers<void>()

beforeAll(async () => {
  vendor = startVendor(async (_request, number) => {
    if (JSON.stringify(vendor.bodies[number - 1]).includes("wait")) await gate.promise
    return Response.json(wholeResponse())
  })
  gateway = await startManaged({
    providers: { scripted: provider(vendor.url) },
    models: { "scripted/chat": simulated(), "scripted/other": simulated({ multiplier: "2" }) },
    settings: {
      priceGroups: {
        partners: { terms: [{ from: 0, multiplier: "1.25" }] },
        half: { name: "Half price", terms: [{ from: 0, multiplier: "0.5" }] },
        card: {
          terms: [{ from: 0, prices: { "scripted/chat": { input: "4", output: "10" } } }],
        },
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Creates a caller whose account belongs to a group. */
async function memberOf(group: string | null): Promise<TestCaller> {
  const caller = await gateway.caller("1")
  await asked(gateway, "PATCH", `/accounts/${caller.account.id}`, { price_group: group })
  return caller
}

const chat = (caller: TestCaller, text = "Hello", model = "scripted/chat") =>
  caller.post(CHAT, { model, messages: [{ role: "user", content: text }], max_tokens: 20 })

async function chargeOf(caller: TestCaller, response: Response): Promise<bigint> {
  expect(response.status).toBe(200)
  await response.text()
  return nanocredits((await receiptOf(caller, response)).cost)
}

const create = (body: object) => ask(gateway, "POST", "/price-groups", body)
const inFuture = (milliseconds = YEAR) => new Date(Date.now() + milliseconds).toISOString()

describe("an account in a price group", () => {
  test("pays the usual price times the group's multiplier, which its receipts show", async () => {
    const [member, other] = [await memberOf("half"), await memberOf(null)]
    const response = await chat(member)
    expect(await chargeOf(member, response)).toBe(USUAL / 2n)
    expect((await receiptOf(member, response)).price).toEqual({
      per_million: { input: "1", cached_input: "0.5", output: "2" },
      multiplier: "0.5",
      group: { id: "half", from: "1970-01-01T00:00:00.000Z", multiplier: "0.5" },
    })
    expect(await chargeOf(member, await chat(member, "Hello", "scripted/other"))).toBe(USUAL)
    expect(await chargeOf(other, await chat(other))).toBe(USUAL)
  })

  test("pays the prices of the group's rate card, regardless of the provider's cost", async () => {
    const member = await memberOf("card")
    const response = await chat(member)
    expect(await chargeOf(member, response)).toBe(50_000n)
    const own = await receiptOf(member, response)
    expect(own.price).toMatchObject({ group: { id: "card" }, multiplier: "1" })
    expect(own).not.toHaveProperty("provider_cost")
    const whole = await asked(gateway, "GET", `/receipts/${own.id}`)
    expect(whole).toMatchObject({ cost: "0.00005", provider_cost: "0.000012" })
    expect(await usageOf(member)).toMatchObject({ cost: "0.00005", provider_cost: "0.000012" })
    expect(await chargeOf(member, await chat(member, "Hello", "scripted/other"))).toBe(2n * USUAL)
  })

  test("has the sums of its group in usage reports", async () => {
    const [member, other] = [await memberOf("partners"), await memberOf(null)]
    for (const caller of [member, member, other]) await chargeOf(caller, await chat(caller))
    const span = { from: new Date(Date.now() - 3_600_000).toISOString(), to: inFuture(3_600_000) }
    const usageBy = async (query: Record<string, string>) =>
      (await asked(gateway, "GET", `/usage?${new URLSearchParams({ ...span, ...query })}`)) as Usage
    const groups = await usageBy({ group: "price_group" })
    expect(groups.data.find(({ group }) => group === "partners")).toMatchObject({
      requests: 2,
      cost: "0.00003",
      provider_cost: "0.000024",
      written_off: "0",
    })
    expect(await usageBy({ group: "account", price_group: "partners" })).toMatchObject({
      data: [{ group: member.account.id, requests: 2 }],
      total: { requests: 2, cost: "0.00003" },
    })
    const account = member.account.id
    expect(await asked(gateway, "GET", "/receipts?price_group=partners")).toMatchObject({
      data: [{ account }, { account }],
    })
  })

  test("sees only its own prices", async () => {
    const [half, card, other] = [
      await memberOf("half"),
      await memberOf("card"),
      await memberOf(null),
    ]
    const inputOf = async (caller: TestCaller) => {
      const { data } = (await (await caller.get("/v1/models")).json()) as {
        data: { id: string; pricing: { input: string } }[]
      }
      const one = (await (await caller.get("/v1/models/scripted/chat")).json()) as {
        pricing: { input: string }
      }
      const listed = data.find(({ id }) => id === "scripted/chat")
      expect(listed?.pricing).toEqual(one.pricing)
      return one.pricing.input
    }
    expect(await Promise.all([half, card, other].map(inputOf))).toEqual(["0.5", "4", "1"])
    const groupsOf = async (caller: TestCaller) =>
      ((await (await caller.get("/v1/credits")).json()) as { price_group: string | null })
        .price_group
    expect(await Promise.all([half, card, other].map(groupsOf))).toEqual(["half", "card", null])
    const estimateOf = async (caller: TestCaller) => {
      const body = { model: "scripted/chat", messages: HELLO, max_tokens: 20 }
      const response = await caller.post("/v1/estimate", { path: CHAT, body })
      return ((await response.json()) as { most: string }).most
    }
    const [halved, usual] = [await estimateOf(half), await estimateOf(other)]
    expect(2n * nanocredits(halved)).toBe(nanocredits(usual))
  })

  test("sees the models at its own prices in the console", async () => {
    const shown = async (caller: TestCaller) => {
      const query = `account=${caller.account.id}&search=scripted/chat`
      const { data } = await asked(gateway, "GET", `/models?${query}`)
      const [{ price, multiplier }] = data as [{ price: { input: string }; multiplier: string }]
      return [price.input, multiplier]
    }
    expect(await shown(await memberOf("half"))).toEqual(["1", "0.5"])
    expect(await shown(await memberOf("card"))).toEqual(["4", "1"])
    expect(await shown(await memberOf(null))).toEqual(["1", "1"])
  })

  test("pays the price that applied at admission if its price group changes while a request runs", async () => {
    const member = await memberOf("half")
    gate = Promise.withResolvers()
    const before = vendor.bodies.length
    const running = chat(member, "wait")
    await until(() => vendor.bodies.length > before)
    await asked(gateway, "PATCH", `/accounts/${member.account.id}`, { price_group: "card" })
    gate.resolve()
    expect(await chargeOf(member, await running)).toBe(USUAL / 2n)
    expect(await chargeOf(member, await chat(member))).toBe(50_000n)
  })
})

test("each request around a price change is charged at a single price, and the ledger stays valid", async () => {
  const member = await memberOf("half")
  const changesAt = Date.now() + 300
  const terms = [
    { from: 0, multiplier: "0.5" },
    { from: changesAt, multiplier: "3" },
  ]
  await gateway.app.apply({ ...gateway.settings, priceGroups: { half: { terms } } })
  const charges: bigint[] = []
  const isOver = () => charges.includes(3n * USUAL)
  const ask = async () => {
    while (!isOver()) {
      const response = await chat(member)
      await response.text()
      const receipt = await receiptOf(member, response)
      const group = receipt.price?.group
      const isAfter = Date.parse(group?.from ?? "") === changesAt
      expect(group?.multiplier).toBe(isAfter ? "3" : "0.5")
      expect(nanocredits(receipt.cost)).toBe(isAfter ? 3n * USUAL : USUAL / 2n)
      // The hold was computed with the same term.
      expect(nanocredits(receipt.hold) % (isAfter ? 3n : 1n)).toBe(0n)
      charges.push(nanocredits(receipt.cost))
    }
  }
  await Promise.all(Array.from({ length: 60 }, ask))
  await gateway.app.apply(gateway.settings)
  await nothingHeld(member)
  const receipts = receiptsOf(gateway, member)
  expect(new Set(receipts.map(({ cost }) => cost))).toEqual(new Set(["0.000006", "0.000036"]))
  const spent = receipts.reduce((sum, { cost }) => sum + nanocredits(cost), 0n)
  expect(await member.balance()).toBe(1_000_000_000n - spent)
  const verdict = await verifyLedgers(gateway.store)
  expect(verdict.problems).toEqual([])
})

/** Returns the sums of an account as operators see them. */
async function usageOf(caller: TestCaller) {
  const query = new URLSearchParams({
    account: caller.account.id,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: inFuture(3_600_000),
  })
  const { total } = await asked(gateway, "GET", `/usage?${query}`)
  return total
}

describe("the price group API", () => {
  test("creates, changes and deletes groups, and records each change in the audit log", async () => {
    const later = inFuture()
    const prices = { "scripted/chat": { input: "0.1", output: "0.2" } }
    const created = await create({
      id: "resellers",
      name: "Resellers",
      terms: [{ multiplier: "0.9" }, { from: later, prices }],
    })
    expect(created.status).toBe(200)
    const group = (await created.json()) as PriceGroup
    const begins = Date.parse(group.terms[0]?.from ?? "") - Date.now()
    expect(begins).toBeGreaterThan(0)
    expect(begins).toBeLessThanOrEqual(5_000)
    expect(group).toMatchObject({
      id: "resellers",
      name: "Resellers",
      members: 0,
      origin: "console",
      is_locked: false,
      problems: [],
      terms: [
        { state: "upcoming", multiplier: "0.9", prices: {} },
        { state: "upcoming", from: later, multiplier: null, prices },
      ],
    })
    const caller = await memberOf("resellers")
    expect(await asked(gateway, "GET", "/price-groups/resellers")).toMatchObject({ members: 1 })
    expect(await asked(gateway, "GET", "/accounts?price_group=resellers")).toMatchObject({
      total: 1,
      data: [{ id: caller.account.id }],
    })
    const rejection = await ask(gateway, "DELETE", "/price-groups/resellers")
    expect(rejection.status).toBe(409)
    expect((await errorOf(rejection)).message).toStartWith("One account belongs to the price group")
    await asked(gateway, "PATCH", `/accounts/${caller.account.id}`, { price_group: null })
    const renamed = await asked(gateway, "PATCH", "/price-groups/resellers", { name: null })
    expect(renamed).toMatchObject({ name: null, terms: group.terms })
    expect((await ask(gateway, "DELETE", "/price-groups/resellers")).status).toBe(204)
    expect((await ask(gateway, "GET", "/price-groups/resellers")).status).toBe(404)
    const { data } = (await asked(gateway, "GET", "/audit?limit=20")) as {
      data: { action: string; target: string }[]
    }
    const actions = data.filter(({ target }) => target === "resellers").map(({ action }) => action)
    expect(actions).toEqual(["price_group.delete", "price_group.change", "price_group.create"])
  })

  test("lists groups by id, including read-only groups of the settings file", async () => {
    const { data } = (await asked(gateway, "GET", "/price-groups")) as { data: PriceGroup[] }
    expect(data.map(({ id, is_locked }) => [id, is_locked])).toEqual([
      ["card", true],
      ["half", true],
      ["partners", true],
    ])
    expect(data[1]).toMatchObject({ name: "Half price", terms: [{ state: "active" }] })
    for (const [method, body] of [
      ["PATCH", { name: "x" }],
      ["DELETE", undefined],
    ] as const) {
      const rejection = await ask(gateway, method, "/price-groups/half", body)
      expect(rejection.status).toBe(409)
      expect((await errorOf(rejection)).message).toContain("tollgate.yaml")
    }
    expect((await create({ id: "half", terms: [{}] })).status).toBe(409)
  })

  const model = "scripted/chat"
  const WRONG: readonly [string, object, string][] = [
    ["a moment in the past", { from: "2020-01-01T00:00:00Z" }, "past charges never change"],
    ["a moment without a zone", { from: "2099-01-01T00:00:00" }, ""],
    ["a negative multiplier", { multiplier: "-1" }, "must not be negative"],
    ["an invalid multiplier", { multiplier: "a lot" }, "must be a decimal number"],
    ["a multiplier with too many digits", { multiplier: "0.1234567" }, "more than 6 digits"],
    [
      "an unknown model",
      { prices: { "scripted/caht": { input: "1", output: "1" } } },
      "no model 'scripted/caht'",
    ],
    ["a price without an output", { prices: { [model]: { input: "1" } } }, "has no 'output'"],
    [
      "a negative price",
      { prices: { [model]: { input: "-1", output: "1" } } },
      "must not be negative",
    ],
    ["a price of a missing model", { prices: { [model]: { inptu: "1" } } }, "not known here"],
    [
      "a price with periods",
      {
        prices: { [model]: { input: "1", output: "1", periods: [{ days: ["mon"], input: "2" }] } },
      },
      "cannot be used in a rate card, whose terms have start dates",
    ],
    ["an empty price", { prices: { [model]: {} } }, "is empty"],
    ["an invalid price", { prices: { [model]: "3" } }, ""],
  ]
  for (const [what, term, words] of WRONG) {
    test(`rejects ${what}`, async () => {
      const rejection = await create({ id: "wrong", terms: [term] })
      expect(rejection.status).toBe(400)
      expect((await errorOf(rejection)).message).toContain(words)
    })
  }

  test("rejects two terms with the same start, an empty list of terms, and an invalid id", async () => {
    const from = inFuture()
    const twice = await create({ id: "wrong", terms: [{ from }, { from, multiplier: "2" }] })
    expect((await errorOf(twice)).message).toContain("begins at the same moment")
    expect((await create({ id: "wrong", terms: [] })).status).toBe(400)
    expect((await create({ id: "Wrong Id", terms: [{}] })).status).toBe(400)
    expect((await create({ id: "__proto__", terms: [{}] })).status).toBe(400)
  })

  test("never changes a term that has started, and never removes the current term", async () => {
    const [begun] = ((await (await create({ id: "kept", terms: [{}] })).json()) as PriceGroup).terms
    const change = (terms: object[]) => ask(gateway, "PATCH", "/price-groups/kept", { terms })
    const { from = "" } = begun ?? {}
    const changed = await change([{ from, multiplier: "2" }])
    expect((await errorOf(changed)).message).toContain("has begun")
    const left = await change([{ from: inFuture() }])
    expect((await errorOf(left)).message).toContain("so it cannot be left out")
    const grown = await change([{ from }, { from: inFuture(), multiplier: "2" }])
    expect(((await grown.json()) as PriceGroup).terms.map(({ multiplier }) => multiplier)).toEqual([
      null,
      "2",
    ])
    await ask(gateway, "DELETE", "/price-groups/kept")
  })

  test("announces a term to every process before the term starts", async () => {
    await using other = await App.start({
      settings: { ...gateway.settings },
      events: recorder([]),
      isShared: true,
    })
    const [term] = ((await (await create({ id: "soon", terms: [{}] })).json()) as PriceGroup).terms
    await until(async () => (await ask(other, "GET", "/price-groups/soon")).status === 200)
    expect(Date.now()).toBeLessThan(Date.parse(term?.from ?? ""))
    await ask(gateway, "DELETE", "/price-groups/soon")
  })

  test("rejects an account in a group that does not exist", async () => {
    const { account } = await gateway.caller("0")
    const rejection = await ask(gateway, "PATCH", `/accounts/${account.id}`, {
      price_group: "none",
    })
    expect(rejection.status).toBe(400)
    expect(await errorOf(rejection)).toMatchObject({
      message: "There is no price group 'none'.",
      param: "price_group",
    })
  })

  test("rejects callers that are not operators", async () => {
    const caller = await memberOf("half")
    const headers = { authorization: `Bearer ${caller.key}` }
    for (const path of ["/price-groups", "/price-groups/half"]) {
      expect((await ask({ url: gateway.url, headers }, "GET", path)).status).toBe(403)
    }
  })
})
