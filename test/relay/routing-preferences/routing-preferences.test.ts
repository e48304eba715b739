import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import Anthropic from "@anthropic-ai/sdk"
import fc from "fast-check"
import OpenAI from "openai"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  type ScriptedVendor,
  startVendor,
  streamed,
  WHOLE_STREAM,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, creditsOf, errorOf, HELLO, receiptOf } from "../support.ts"

/** Prices of input and of output in credits per million tokens. */
const PRICES = { cheap: "1", middle: "3", dear: "9" } as const
type Name = keyof typeof PRICES
const NAMES = Object.keys(PRICES) as Name[]

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** Upstream models that fail. */
let failing: string[] = []

const deployment = (name: Name, model: string) => ({
  provider: name,
  model,
  weight: 1,
  price: { input: PRICES[name], output: PRICES[name] },
})
const modelOf = (name: Name) => simulated({ deployments: [deployment(name, `${name}-own`)] })

beforeAll(async () => {
  vendor = startVendor(() => {
    const body = vendor.bodies.at(-1)
    if (failing.includes(String(body?.["model"]))) {
      return Response.json({ error: { message: "down" } }, { status: 500 })
    }
    if (body?.["input"] !== undefined) {
      const data = [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }]
      const usage = { prompt_tokens: 2, total_tokens: 2 }
      return Response.json({ object: "list", model: "x", data, usage })
    }
    return body?.["stream"] === true ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse())
  })
  gateway = await startGateway({
    providers: Object.fromEntries(NAMES.map((name) => [name, provider(vendor.url)])),
    models: {
      "cheap/small": modelOf("cheap"),
      "middle/plain": modelOf("middle"),
      "dear/big": modelOf("dear"),
      "dear/pool": simulated({
        deployments: NAMES.map((name) => deployment(name, `${name}-pool`)),
      }),
      "dear/vectors": {
        kind: "embedding",
        deployments: NAMES.map((name) => deployment(name, `${name}-vectors`)),
      },
      "auto/cheap": {
        strategy: "price",
        members: ["dear/big", "cheap/small"].map((model) => ({ model, weight: 1 })),
      },
      // The members of this group fail in no other test, so they are not cooling down.
      "dear/steady": simulated({ deployments: [deployment("dear", "steady")] }),
      "dear/shaky": simulated({ deployments: [deployment("dear", "shaky")] }),
      "auto/steady": {
        strategy: "order",
        members: ["dear/steady", "cheap/small"].map((model) => ({ model, weight: 1 })),
      },
      "auto/shaky": {
        strategy: "order",
        members: ["dear/shaky", "cheap/small"].map((model) => ({ model, weight: 1 })),
      },
    },
  })
  caller = await gateway.caller("50")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  failing = []
  vendor.bodies.length = 0
})

const ask = (model: string, more: object = {}, by = caller) =>
  by.post(CHAT, { model, messages: HELLO, ...more })

/** Returns the provider that answered. */
const answererOf = (response: Response) => response.headers.get("x-tollgate-provider")

describe("a caller's provider preferences", () => {
  const preferences: readonly [object, Name, string][] = [
    [{ order: ["middle"] }, "middle", "provider.order"],
    [{ only: ["dear"] }, "dear", "provider.only"],
    [{ ignore: ["cheap", "middle"] }, "dear", "provider.ignore"],
    [{ sort: "price" }, "cheap", "provider.sort"],
    [{ sort: { by: "price" } }, "cheap", "provider.sort"],
    [{ max_price: { prompt: 1, completion: "1.0" } }, "cheap", "provider.max_price"],
    [{ order: ["dear", "cheap"], allow_fallbacks: false }, "dear", "provider.order"],
  ]
  test.each(preferences)("%j select %s", async (preference, name, reason) => {
    for (const stream of [false, true]) {
      const response = await ask("dear/pool", { provider: preference, stream })
      expect(response.status).toBe(200)
      await response.text()
      expect(answererOf(response)).toBe(name)
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ routed_by: reason, model: "dear/pool" })
      expect(receipt.price?.per_million).toMatchObject({ input: PRICES[name] })
    }
  })

  test("do not reach vendors", async () => {
    await ask("dear/pool", { provider: { only: ["dear"] }, models: ["cheap/small"] })
    expect(vendor.bodies).toHaveLength(1)
    for (const field of ["provider", "models"]) expect(vendor.bodies[0]).not.toHaveProperty(field)
  })

  test("allow other providers after a failure, unless the caller forbids fallbacks", async () => {
    failing = ["dear-pool"]
    const open = await ask("dear/pool", { provider: { order: ["dear"] } })
    expect(answererOf(open)).not.toBe("dear")
    const closed = await ask("dear/pool", { provider: { order: ["dear"], allow_fallbacks: false } })
    expect(closed.status).toBe(502)
  })

  test("apply to embeddings", async () => {
    const response = await caller.post("/v1/embeddings", {
      model: "dear/vectors",
      input: "a",
      provider: { sort: "price" },
    })
    expect(response.status).toBe(200)
    expect(answererOf(response)).toBe("cheap")
  })

  test("apply to estimates, which make no call", async () => {
    const body = { model: "dear/pool", messages: HELLO, provider: { only: ["middle"] } }
    const response = await caller.post("/v1/estimate", { path: CHAT, body })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain("middle")
    for (const other of ["cheap/", "dear/dear"]) expect(text).not.toContain(other)
    expect(vendor.bodies).toEqual([])
  })

  test("never cause a call to an excluded provider", async () => {
    const subset = fc.option(fc.subarray([...NAMES], { minLength: 1 }), { nil: undefined })
    const preference = fc.record({
      order: subset,
      only: subset,
      ignore: subset,
      sort: fc.constantFrom(undefined, "price", "latency", "throughput"),
      max_price: fc.constantFrom(undefined, { prompt: 1 }, { prompt: 3 }, { completion: 2.5 }),
      allow_fallbacks: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(preference, fc.subarray([...NAMES]), async (wanted, down) => {
        failing = down.map((name) => `${name}-pool`)
        vendor.bodies.length = 0
        const response = await ask("dear/pool", { provider: wanted })
        await response.text()
        const limit = Number(wanted.max_price?.prompt ?? wanted.max_price?.completion ?? Infinity)
        const called = vendor.bodies.map(({ model }) => String(model).replace("-pool", "") as Name)
        for (const name of called) {
          if (wanted.only) expect(wanted.only).toContain(name)
          if (wanted.ignore) expect(wanted.ignore).not.toContain(name)
          if (wanted.order && !wanted.allow_fallbacks) expect(wanted.order).toContain(name)
          expect(Number(PRICES[name])).toBeLessThanOrEqual(limit)
        }
        expect([200, 400, 502, 503]).toContain(response.status)
      }),
      { numRuns: 60 },
    )
  })
})

describe("a caller's list of models", () => {
  test("contains models that are tried in order, each at its own price", async () => {
    failing = ["dear-own"]
    const before = await creditsOf(caller)
    const response = await ask("dear/big", { models: ["cheap/small", "middle/plain"] })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ model: "cheap/small" })
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ model: "cheap/small", requested_model: "dear/big" })
    expect(receipt.price?.per_million).toMatchObject({ input: PRICES.cheap })
    const after = await creditsOf(caller)
    const paid = Math.round((Number(before.balance) - Number(after.balance)) * 1e9)
    expect(paid).toBe(Math.round(Number(receipt.cost) * 1e9))
    expect(Number(receipt.hold)).toBeGreaterThanOrEqual(Number(receipt.cost))
  })

  test("causes an error if the key cannot access one of the models", async () => {
    const narrow = await gateway.caller("1", { models: ["dear/*"] })
    const rejected = await errorOf(await ask("dear/big", { models: ["cheap/small"] }, narrow))
    expect(rejected).toMatchObject({ status: 403, code: "model_not_allowed", param: "models[0]" })
    const unknown = await errorOf(await ask("dear/big", { models: ["dear/big", "dear/none"] }))
    expect(unknown).toMatchObject({ status: 404, code: "model_not_found", param: "models[1]" })
    expect(vendor.bodies).toEqual([])
  })

  test("works as an extra field of the official SDKs in each dialect", async () => {
    failing = ["dear-own"]
    const openai = new OpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const order = { model: "dear/big", models: ["middle/plain"] }
    const completion = await openai.chat.completions.create({
      ...order,
      messages: [{ role: "user", content: "Hello" }],
    })
    expect(completion.model).toBe("middle/plain")
    const response = await openai.responses.create({ ...order, input: "Hello" })
    expect(response.model).toBe("middle/plain")
    const anthropic = new Anthropic({ apiKey: caller.key, baseURL: gateway.url, maxRetries: 0 })
    const message = await anthropic.messages.create({
      ...order,
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello" }],
    })
    expect(message.model as string).toBe("middle/plain")
  })
})

describe("a model group in the settings", () => {
  test("appears as a model, and answers according to its strategy", async () => {
    const cheap = await ask("auto/cheap")
    expect(await cheap.json()).toMatchObject({ model: "cheap/small" })
    const receipt = await receiptOf(caller, cheap)
    expect(receipt).toMatchObject({ model: "cheap/small", requested_model: "auto/cheap" })
    expect(receipt.price?.per_million).toMatchObject({ input: PRICES.cheap })
    const first = await ask("auto/steady")
    expect(await first.json()).toMatchObject({ model: "dear/steady" })
    const list = (await (await caller.get("/v1/models")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toContain("auto/cheap")
  })

  test("continues with its next member, and the caller does not notice", async () => {
    failing = ["shaky"]
    const response = await ask("auto/shaky", { stream: true })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain("cheap/small")
    expect((await receiptOf(caller, response)).attempts.map(({ deployment: id }) => id)).toEqual([
      "dear/shaky",
      "cheap/cheap-own",
    ])
  })

  test("uses only the members that a key can access", async () => {
    const some = await gateway.caller("1", { models: ["dear/*"] })
    const response = await ask("auto/cheap", {}, some)
    expect(await response.json()).toMatchObject({ model: "dear/big" })
    const whole = await gateway.caller("1", { models: ["auto/*"] })
    expect(await (await ask("auto/cheap", {}, whole)).json()).toMatchObject({
      model: "cheap/small",
    })
    expect((await ask("cheap/small", {}, whole)).status).toBe(403)
    const none = await gateway.caller("1", { models: ["middle/*"] })
    expect((await ask("auto/cheap", {}, none)).status).toBe(403)
  })
})

describe("invalid routing preferences", () => {
  const faults: readonly [object, string][] = [
    [{ provider: { only: ["nobody"] } }, "provider.only[0]"],
    [{ provider: { order: ["cheap", "nobody"] } }, "provider.order[1]"],
    [{ provider: { ignore: ["nobody"] } }, "provider.ignore[0]"],
    [{ provider: { only: [] } }, "provider.only"],
    [{ provider: { only: ["cheap"], ignore: ["cheap"] } }, "provider.ignore[0]"],
    [{ provider: { ignore: [...NAMES] } }, "provider.ignore"],
    [{ provider: { max_price: { prompt: 0.5 } } }, "provider.max_price"],
    [{ provider: { max_price: { prompt: -1 } } }, "provider.max_price.prompt"],
    [{ provider: { max_price: { prompt: "much" } } }, "provider.max_price.prompt"],
    [{ provider: { max_price: { tokens: 1 } } }, "provider.max_price.tokens"],
    [{ provider: { sort: "beauty" } }, "provider.sort"],
    [{ provider: { data_collection: "deny" } }, "provider.data_collection"],
    [{ provider: { zdr: true } }, "provider.zdr"],
    [{ provider: "cheap" }, "provider"],
    [{ models: [] }, "models"],
    [{ models: "cheap/small" }, "models"],
    [{ models: [1] }, "models[0]"],
  ]
  test.each(faults)("cause an error that names the parameter: %j", async (preference, place) => {
    const before = await creditsOf(caller)
    const error = await errorOf(await ask("dear/pool", preference))
    expect({ status: error.status, param: (error as { param?: string }).param }).toEqual({
      status: 400,
      param: place,
    })
    expect(vendor.bodies).toEqual([])
    expect((await creditsOf(caller)).balance).toBe(before.balance)
  })
})
