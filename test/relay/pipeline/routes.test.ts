import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test"
import { Load } from "../../../src/routing/loads.ts"
import {
  SHORT_TIMEOUTS,
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  frame,
  helloUntil,
  type ScriptedVendor,
  startVendor,
  streamed,
  WHOLE_STREAM,
  wholeResponse,
} from "../scripted-vendor.ts"
import { until } from "../../support/until.ts"
import { CHAT, contentOf, creditsOf, errorOf, HELLO, receiptOf } from "../support.ts"

type Fault = () => Response

const status = (code: number, headers: Record<string, string> = {}): Fault => {
  return () => Response.json({ error: { message: "no" } }, { status: code, headers })
}

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** The faults with which the vendor answers the next requests, before it works. */
let faults: Fault[] = []

beforeAll(async () => {
  vendor = startVendor(() => {
    const body = vendor.bodies.at(-1)
    const fault = faults.shift()
    if (fault) return fault()
    if (body?.["input"] !== undefined) {
      const data = [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }]
      const usage = { prompt_tokens: 2, total_tokens: 2 }
      return Response.json({ object: "list", model: "x", data, usage })
    }
    return body?.["stream"] === true ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse())
  })
  const only = (model: string) => ({
    ...simulated(),
    deployments: [{ provider: "odd", model, weight: 1 }],
  })
  // Each test has its own deployment, so that its failures do not open the circuit of another test.
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "outage"]
  gateway = await startGateway({
    providers: { odd: provider(vendor.url) },
    settings: {
      timeouts: SHORT_TIMEOUTS,
      routing: { strategy: "weight", affinity: true, retries: 1, hedge: false },
    },
    models: {
      ...Object.fromEntries(names.map((name) => [`odd/${name}`, only(name)])),
      "odd/vectors": { ...only("vectors"), kind: "embedding", price: { input: "1" } },
      "odd/pool": simulated({
        deployments: ["p1", "p2", "p3"].map((model) => ({ provider: "odd", model, weight: 1 })),
      }),
      "odd/priced": simulated({
        strategy: "price",
        deployments: [
          { provider: "odd", model: "dear", weight: 5, price: { input: "9", output: "9" } },
          { provider: "odd", model: "cheap", weight: 1, price: { input: "1", output: "1" } },
        ],
      }),
      "odd/two": simulated({
        deployments: [
          { provider: "odd", model: "two", weight: 1 },
          { provider: "odd", model: "three", weight: 0 },
        ],
      }),
    },
  })
  caller = await gateway.caller("5")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  faults = []
  vendor.bodies.length = 0
})

const ask = (model: string, more: object = {}) =>
  caller.post(CHAT, { model, messages: HELLO, ...more })

describe("retries at the only deployment", () => {
  const accidents: readonly [string, string, Fault, { status: number; outcome: string }][] = [
    ["an error of the server", "odd/a", status(500), { status: 500, outcome: "upstream_error" }],
    [
      "an unreachable server",
      "odd/b",
      status(503),
      { status: 503, outcome: "upstream_overloaded" },
    ],
    [
      "an invalid answer",
      "odd/c",
      () => new Response("<html>"),
      { status: 200, outcome: "upstream_error" },
    ],
    [
      "a 429 with a short retry delay",
      "odd/d",
      status(429, { "retry-after": "1" }),
      { status: 429, outcome: "upstream_overloaded" },
    ],
  ]
  test.each(accidents)("happen only once after %s", async (_, model, fault, failed) => {
    faults = [fault]
    const before = await creditsOf(caller)
    const response = await ask(model)
    expect(response.status).toBe(200)
    const receipt = await receiptOf(caller, response)
    expect(receipt.attempts).toMatchObject([failed, { status: 200, outcome: "ok" }])
    const after = await creditsOf(caller)
    const paid = Math.round((Number(before.balance) - Number(after.balance)) * 1e9)
    expect(paid).toBe(Math.round(Number(receipt.cost) * 1e9))
  })

  test("happen if a stream breaks before the first content", async () => {
    faults = [() => streamed([frame("")])]
    const response = await ask("odd/e", { stream: true })
    expect(contentOf(await response.text())).toBe("Hello")
    expect((await receiptOf(caller, response)).attempts).toHaveLength(2)
  })

  test("happen for operations other than chat", async () => {
    faults = [status(502)]
    const response = await caller.post("/v1/embeddings", { model: "odd/vectors", input: "Hi" })
    expect(response.status).toBe(200)
    expect((await receiptOf(caller, response)).attempts).toHaveLength(2)
  })

  test("happen only once, and then the error is returned", async () => {
    faults = [status(500), status(500)]
    const response = await ask("odd/f")
    expect(response.status).toBe(502)
    await errorOf(response)
    expect(vendor.bodies).toHaveLength(2)
  })
})

describe("attempts without a retry", () => {
  const rejections: readonly [string, string, Fault][] = [
    ["a rejection of the request itself", "odd/g", status(400)],
    ["an error about the operator's key", "odd/h", status(401)],
    ["a 429 without a retry delay", "odd/i", status(429)],
  ]
  test.each(rejections)("include %s", async (_, model, fault) => {
    faults = [fault]
    expect((await ask(model)).status).toBeGreaterThanOrEqual(400)
    expect(vendor.bodies).toHaveLength(1)
  })

  test("include an attempt that fails after the first content", async () => {
    faults = [() => streamed([frame("Hel")])]
    const response = await ask("odd/a", { stream: true })
    expect(await response.text()).toContain("error")
    expect(vendor.bodies).toHaveLength(1)
  })

  test("include failed attempts at a model with another healthy deployment", async () => {
    faults = [status(500), status(500)]
    expect((await ask("odd/two")).status).toBe(502)
    expect(vendor.bodies.map(({ model }) => model)).toEqual(["two", "three"])
  })

  test("include attempts beyond the retry budget, so that an outage is not amplified", async () => {
    const asked = 60
    faults = Array.from({ length: asked * 2 }, () => status(500))
    const responses = await Promise.all(Array.from({ length: asked }, () => ask("odd/outage")))
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([502]))
    expect(vendor.bodies.length).toBeGreaterThan(asked)
    expect(vendor.bodies.length).toBeLessThanOrEqual(asked + 10)
  })
})

describe("the selected deployment", () => {
  const INSTRUCTIONS = { role: "system", content: "Be brief. ".repeat(500) }
  const served = async (more: object, headers?: Record<string, string>) => {
    const body = { model: "odd/pool", messages: HELLO, ...more }
    const response = await caller.post(CHAT, body, headers)
    expect(response.status).toBe(200)
    const { deployment, routed_by } = (await receiptOf(caller, response)) as {
      deployment: string
      routed_by?: string
    }
    return { deployment, routed_by }
  }

  const known: readonly [string, object, Record<string, string>][] = [
    ["cache_key", { prompt_cache_key: "chat 7" }, {}],
    ["session", {}, { "x-tollgate-session": "run 12" }],
    ["prompt", { messages: [INSTRUCTIONS, ...HELLO] }, {}],
  ]
  test.each(known)("stays the same for the same %s", async (reason, more, headers) => {
    const first = await served(more, headers)
    expect(first.routed_by).toBe(reason)
    for (let request = 0; request < 5; request++) expect(await served(more, headers)).toEqual(first)
  })

  test("differs for different keys, and is random without a key", async () => {
    // There are enough keys that each of the three deployments gets at least one. The assignment also depends on the
    // random id of the account.
    const keys = Array.from({ length: 60 }, (_, index) => ({ prompt_cache_key: `chat ${index}` }))
    const places = await Promise.all(keys.map((key) => served(key)))
    expect(new Set(places.map(({ deployment }) => deployment)).size).toBe(3)
    expect((await served({})).routed_by).toBe("weight")
  })

  test("has the lowest price if the settings select by price, regardless of the weights", async () => {
    const model = "odd/priced"
    expect(await served({ model, prompt_cache_key: "a" })).toEqual({
      deployment: "odd/cheap",
      routed_by: "price",
    })
  })

  test("has no `routed_by` on the receipt if the model has only one deployment", async () => {
    expect((await served({ model: "odd/a" })).routed_by).toBeUndefined()
  })
})

test("the load of a deployment returns to zero regardless of how its requests end", async () => {
  using begun = spyOn(Load.prototype, "begin")
  using ended = spyOn(Load.prototype, "end")
  await (await ask("odd/a")).text()
  await (await ask("odd/a", { stream: true })).text()
  faults = [status(400), () => streamed([frame("Hel")])]
  await (await ask("odd/a")).text()
  await (await ask("odd/a", { stream: true })).text()
  const left = new AbortController()
  faults = [() => helloUntil(new Promise(() => undefined))]
  const body = { model: "odd/a", messages: HELLO, stream: true }
  const running = await fetch(`${gateway.url}${CHAT}`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: left.signal,
  })
  left.abort()
  await running.text().catch(() => undefined)
  await until(() => ended.mock.calls.length === begun.mock.calls.length)
  expect(begun.mock.calls.length).toBeGreaterThanOrEqual(5)
})
