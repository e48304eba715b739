import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../../../src/config/settings.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import {
  errorOf,
  keptReceiptOf,
  nanocredits,
  nothingHeld,
  receiptOf,
  receiptsOf,
} from "../../support.ts"

const PATH = "/v1/moderations"
const GOOD = "Have a nice day"
const BAD = "I will attack you"
const IMAGE = { type: "image_url", image_url: { url: "https://example.com/cat.png" } }
const PARTS = [{ type: "text", text: BAD }, IMAGE]

function model(price: ModelSettings["price"], ...deployments: [string, string][]): ModelSettings {
  return {
    kind: "moderation",
    ...(price && { price }),
    deployments: deployments.map(([at, name], index) => ({
      provider: at,
      model: name,
      weight: index === 0 ? 1_000_000 : 1e-6,
    })),
  }
}

const FREE = { input: "0" }
const PRICED = { input: "0.1" }

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    models: {
      "all/openai": model(FREE, ["openai", "omni-moderation-2024-09-26"]),
      "all/mistral": model(PRICED, ["mistral", "mistral-moderation-latest"]),
      "all/own": model(PRICED, ["sim", "moderate"]),
      "own/no-usage": model(PRICED, ["sim", "fault-no-usage"]),
      "own/request": model({ request: "1000000" }, ["sim", "moderate"]),
      "own/unpriced": model(undefined, ["sim", "moderate"]),
      "two/failing": model(PRICED, ["sim", "fault-500"], ["sim", "moderate"]),
      "two/texts": model(PRICED, ["mistral", "mistral-moderation-latest"], ["sim", "moderate"]),
    },
    providersAt: (url) => ({
      openai: { ...provider(`${url}/v1`, "openai"), knownModels: true },
      mistral: provider(`${url}/v1`, "mistral"),
    }),
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

interface Verdict {
  readonly flagged: boolean
  readonly categories: Readonly<Record<string, boolean>>
  readonly category_scores: Readonly<Record<string, number>>
}

interface ResponseBody {
  readonly id: string
  readonly model: string
  readonly results: readonly Verdict[]
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number }
}

async function moderate(caller: TestCaller, body: object) {
  const response = await caller.post(PATH, body)
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""])
  const json = (await response.json()) as ResponseBody
  return { response, json, receipt: await receiptOf(caller, response) }
}

describe("moderation by every model", () => {
  for (const id of ["all/openai", "all/mistral", "all/own"]) {
    test(`returns one verdict for each text: ${id}`, async () => {
      const caller = await gateway.caller("1")
      const { json, receipt } = await moderate(caller, { model: id, input: [GOOD, BAD] })
      expect(json.model).toBe(id)
      expect(json.results.map(({ flagged }) => flagged)).toEqual([false, true])
      const [, bad] = json.results
      expect([bad?.categories["violence"], bad?.category_scores["violence"]]).toEqual([true, 0.9])
      expect(receipt.status).toBe("settled")
      expect(json.usage.prompt_tokens).toBe(receipt.usage?.["input"] ?? 0)
      expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(nanocredits(receipt.cost))
      await nothingHeld(caller)
    })

    test(`returns one verdict for a single text: ${id}`, async () => {
      const caller = await gateway.caller("1")
      const { json } = await moderate(caller, { model: id, input: BAD })
      expect(json.results.map(({ flagged }) => flagged)).toEqual([true])
    })
  }

  test("classifies text and images together for a model of OpenAI", async () => {
    const caller = await gateway.caller("1")
    const { json } = await moderate(caller, { model: "all/openai", input: PARTS })
    expect(json.results).toMatchObject([
      { flagged: true, category_applied_input_types: { violence: ["text", "image"] } },
    ])
    const { body } = gateway.simulator.requests.at(-1) ?? {}
    expect(JSON.stringify(body)).toContain("https://example.com/cat.png")
  })
})

describe("a free moderation model", () => {
  test("requires neither credits nor a hold, and its receipt has no cost", async () => {
    const caller = await gateway.caller("0")
    const { response, receipt } = await moderate(caller, { model: "all/openai", input: BAD })
    expect([receipt.hold, receipt.cost]).toEqual(["0", "0"])
    expect(receipt.usage?.["input"]).toBeGreaterThan(0)
    expect(response.headers.get("x-tollgate-cost")).toBe("0")
    expect(receiptsOf(gateway, caller)).toHaveLength(1)
  })

  test("serves requests that name no model, even if the settings have no price", async () => {
    const caller = await gateway.caller("0")
    const { json, receipt } = await moderate(caller, { input: BAD })
    expect(json.model).toBe("omni-moderation-latest")
    expect(receipt.deployment).toContain("omni-moderation-latest")
  })

  test("counts requests toward the key's rate limits", async () => {
    const caller = await gateway.caller("0", { requestsPerMinute: 1 })
    await moderate(caller, { model: "all/openai", input: BAD })
    const response = await caller.post(PATH, { model: "all/openai", input: BAD })
    expect([response.status, (await errorOf(response)).error_type]).toEqual([
      429,
      "request_rate_exceeded",
    ])
  })

  test("rejects a key without access to the model", async () => {
    const caller = await gateway.caller("0", { models: ["all/own"] })
    const response = await caller.post(PATH, { model: "all/openai", input: BAD })
    expect([response.status, (await errorOf(response)).error_type]).toEqual([
      403,
      "model_not_allowed",
    ])
  })

  test("does not allow large chat requests by a key without credits", async () => {
    const caller = await gateway.caller("0")
    const broken = `{"model":"sim/echo",${"x".repeat(100_000)}`
    const response = await caller.post("/v1/chat/completions", broken)
    expect((await errorOf(response)).error_type).toBe("insufficient_credits")
  })
})

describe("a priced moderation model", () => {
  test("results in a charge for the tokens that its provider reports", async () => {
    const caller = await gateway.caller("1")
    const { json, receipt } = await moderate(caller, { model: "all/mistral", input: BAD })
    expect(receipt.estimated).toBe(false)
    expect(nanocredits(receipt.cost)).toBe(BigInt(json.usage.prompt_tokens) * 100n)
  })

  test("results in a charge by the gateway's own count if the provider reports no usage", async () => {
    const caller = await gateway.caller("1")
    const { receipt } = await moderate(caller, { model: "own/no-usage", input: BAD })
    expect(receipt.estimated).toBe(true)
    expect(nanocredits(receipt.cost)).toBeGreaterThan(0n)
  })

  test("can have a price for each request", async () => {
    const caller = await gateway.caller("10")
    const { receipt } = await moderate(caller, { model: "own/request", input: [BAD, GOOD] })
    expect(receipt.cost).toBe("1")
  })

  test("fails without credits, and fails without a price", async () => {
    const caller = await gateway.caller("0")
    const unpaid = await caller.post(PATH, { model: "all/mistral", input: BAD })
    expect((await errorOf(unpaid)).error_type).toBe("insufficient_credits")
    const unpriced = await caller.post(PATH, { model: "own/unpriced", input: BAD })
    expect((await errorOf(unpriced)).error_type).toBe("model_not_priced")
  })
})

describe("a moderation provider that accepts only texts", () => {
  test("gets the texts of one input as one text, with a reported loss", async () => {
    const caller = await gateway.caller("1")
    const input = [GOOD, BAD].map((text) => ({ type: "text", text }))
    const { response, json } = await moderate(caller, { model: "all/mistral", input })
    expect(json.results.map(({ flagged }) => flagged)).toEqual([true])
    expect(response.headers.get("x-tollgate-losses")).toBe("input:approximated")
  })

  test("gets no unknown fields, and their loss is reported", async () => {
    const caller = await gateway.caller("1")
    const body = { model: "all/mistral", input: BAD, metadata: { a: 1 } }
    const { response } = await moderate(caller, body)
    expect(response.headers.get("x-tollgate-losses")).toBe("metadata:dropped")
    const calls = gateway.simulator.requests.length
    const strict = await caller.post(PATH, body, { "x-tollgate-strict": "true" })
    expect(strict.status).toBe(400)
    expect(gateway.simulator.requests.length).toBe(calls)
  })

  test("gets no images: the input is rejected or sent to another provider", async () => {
    const caller = await gateway.caller("1")
    const calls = gateway.simulator.requests.length
    const response = await caller.post(PATH, { model: "all/mistral", input: PARTS })
    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain("only text")
    expect(gateway.simulator.requests.length).toBe(calls)
    const { receipt } = await moderate(caller, { model: "two/texts", input: PARTS })
    expect(receipt.deployment).toContain("sim")
  })
})

describe("moderation of conversations", () => {
  const conversation = [
    { role: "user", content: "I will attack you" },
    { role: "assistant", content: GOOD },
  ]

  for (const [id, losses] of [
    ["all/mistral", null],
    ["all/own", "input:approximated"],
  ] as const) {
    test(`classifies the last messages: ${id}`, async () => {
      const caller = await gateway.caller("1")
      const input = [conversation, [{ role: "user", content: BAD }]]
      const response = await caller.post("/v1/chat/moderations", { model: id, input })
      const { results } = (await response.json()) as ResponseBody
      expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
      expect(response.headers.get("x-tollgate-losses")).toBe(losses)
      const receipt = await receiptOf(caller, response)
      expect(nanocredits(receipt.cost)).toBeGreaterThan(0n)
      expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(nanocredits(receipt.cost))
    })
  }
})

test("a failed moderation request is sent to the next deployment and charged once", async () => {
  const caller = await gateway.caller("1")
  const { response } = await moderate(caller, { model: "two/failing", input: BAD })
  const id = response.headers.get("x-request-id") ?? ""
  const outcomes = keptReceiptOf(gateway, id)?.attempts.map(({ outcome }) => outcome)
  expect(outcomes?.at(-1)).toBe("ok")
  expect(outcomes?.length).toBeGreaterThan(1)
  expect(receiptsOf(gateway, caller)).toHaveLength(1)
})

test("moderation rejects an invalid input and names the field", async () => {
  const caller = await gateway.caller("1")
  const cases: [unknown, string][] = [
    [undefined, "input"],
    [[], "input"],
    [5, "input"],
    [[5], "input[0]"],
    [["a", 5], "input[1]"],
    [[{ text: "a" }], "input[0].type"],
    [[{ type: "audio" }], "input[0].type"],
    [[{ type: "text" }], "input[0].text"],
    [[{ type: "image_url" }], "input[0].image_url.url"],
    [[{ type: "image_url", image_url: { url: "ftp://a" } }], "input[0].image_url.url"],
  ]
  for (const [input, name] of cases) {
    const response = await caller.post(PATH, { model: "all/own", input })
    const { error } = (await response.json()) as { error: { param: string } }
    expect([input, response.status, error.param]).toEqual([input, 400, name])
  }
})

test("moderation rejects models of other kinds and names the endpoints for them", async () => {
  const caller = await gateway.caller("1")
  const other = await caller.post(PATH, { model: "sim/echo", input: BAD })
  expect((await errorOf(other)).message).toContain("Use /v1/chat/completions.")
  const chat = { model: "all/own", messages: [{ role: "user", content: "Hello" }] }
  const response = await caller.post("/v1/chat/completions", chat)
  expect((await errorOf(response)).message).toContain("Use /v1/moderations.")
})
