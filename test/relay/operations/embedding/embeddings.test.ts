import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../../src/config/settings.ts"
import { isJsonObject } from "../../../../src/canon/json.ts"
import { numbersOf } from "../../../../src/canon/vectors.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import {
  googleAccount,
  startTokenServer,
  type TokenServer,
} from "../../../support/google-account.ts"
import {
  creditsOf,
  errorOf,
  nanocredits,
  nothingHeld,
  type Receipt,
  receiptOf,
  receiptsOf,
} from "../../support.ts"

const PATH = "/v1/embeddings"
const TEXTS = ["the cat sat", "a dog ran", "rain"]

let gateway: TestGateway
let tokens: TokenServer

/** Returns an embedding model at one credit per million tokens. */
function embedding(at: string, model: string): ModelSettings {
  return {
    kind: "embedding",
    price: { input: "1" },
    deployments: [{ provider: at, model, weight: 1 }],
  }
}

/** A model of every vendor with embeddings, by its name in these tests. */
const MODELS: Readonly<Record<string, ModelSettings>> = {
  "sim/embed": embedding("sim", "embed"),
  "all/openai": embedding("openai", "text-embedding-3-small"),
  "all/mistral": embedding("mistral", "mistral-embed"),
  "all/perplexity": embedding("perplexity", "pplx-embed-v1-0.6b"),
  "all/voyage": embedding("voyage", "voyage-3.5"),
  "all/jina": embedding("jina", "jina-embeddings-v3"),
  "all/azure": embedding("azure", "text-embedding-3-small"),
  "all/cohere": embedding("cohere", "embed-v4.0"),
  "all/gemini-1": embedding("google", "gemini-embedding-001"),
  "all/gemini-2": embedding("google", "gemini-embedding-2"),
  "all/vertex": embedding("vertex", "text-embedding-005"),
  "all/titan": embedding("bedrock", "amazon.titan-embed-text-v2:0"),
  "all/bedrock-cohere": embedding("bedrock", "cohere.embed-v4:0"),
  "sim/rejects-base64": embedding("sim", "rejects-base64"),
  "sim/ignores-base64": embedding("sim", "ignores-base64"),
  "sim/answers-base64": embedding("sim", "answers-base64"),
  "sim/fault-500": embedding("sim", "fault-500"),
  "sim/fault-no-usage": embedding("sim", "fault-no-usage"),
  "sim/fault-wrong-usage": embedding("sim", "fault-wrong-usage"),
  "sim/fault-huge-usage": embedding("sim", "fault-huge-usage"),
  "sim/fault-malformed": embedding("sim", "fault-malformed"),
  "sim/fault-cut": embedding("sim", "fault-cut"),
  "sim/unpriced": { kind: "embedding" },
  "claude/embed": embedding("claude", "claude"),
  "two/embed": {
    ...embedding("sim", "embed"),
    deployments: [
      { provider: "sim", model: "fault-500", weight: 1_000_000 },
      { provider: "sim", model: "embed", weight: 1 },
    ],
  },
}

function providersAt(url: string): Record<string, ProviderSettings> {
  const at = (vendor: string, path = ""): ProviderSettings => provider(url + path, vendor)
  const { apiKey: _, ...keyless } = at("bedrock")
  return {
    openai: at("openai", "/v1"),
    mistral: at("mistral", "/v1"),
    perplexity: at("perplexity"),
    voyage: at("voyage", "/v1"),
    jina: at("jina", "/v1"),
    azure: { ...at("azure", "/v1"), headers: { authorization: "Bearer key" } },
    cohere: at("cohere"),
    google: at("google"),
    claude: at("anthropic"),
    vertex: { ...keyless, vendor: "vertex", credentials: googleAccount(tokens.url), project: "p" },
    bedrock: {
      ...keyless,
      accessKeyId: "AKIDSIMULATOR",
      secretAccessKey: "simulator-secret",
      region: "us-east-1",
    },
  }
}

beforeAll(async () => {
  tokens = startTokenServer()
  gateway = await startGateway({ models: MODELS, providersAt })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  tokens[Symbol.dispose]()
})

interface ResponseBody {
  readonly object: string
  readonly data: readonly { object: string; index: number; embedding: number[] | string }[]
  readonly model: string
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number }
}

async function embed(
  caller: TestCaller,
  body: object,
): Promise<{ response: Response; json: ResponseBody; receipt: Receipt }> {
  const response = await caller.post(PATH, body)
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""])
  const json = (await response.json()) as ResponseBody
  return { response, json, receipt: await receiptOf(caller, response) }
}

function lengthOf(embedding: number[] | string | undefined): number {
  return Math.hypot(...numbersOf(embedding ?? []))
}

describe("embeddings of every vendor", () => {
  const everybody = Object.keys(MODELS).filter((id) => id.startsWith("all/"))

  for (const model of everybody) {
    test(`contain a vector for each input, in order, and are charged by token count: ${model}`, async () => {
      const caller = await gateway.caller("1")
      const { json, receipt } = await embed(caller, { model, input: TEXTS })
      const alone = await embed(caller, { model, input: TEXTS[1] })
      expect(json).toMatchObject({ object: "list", model })
      expect(json.data.map(({ index, object }) => [index, object])).toEqual(
        TEXTS.map((_, index) => [index, "embedding"]),
      )
      expect(json.data[1]?.embedding).toEqual(alone.json.data[0]?.embedding ?? "none")
      for (const { embedding } of json.data) expect(lengthOf(embedding)).toBeCloseTo(1, 4)
      const { prompt_tokens: prompt, total_tokens: total } = json.usage
      expect([prompt, total]).toEqual([7, 7])
      expect(receipt).toMatchObject({
        status: "settled",
        estimated: model === "all/gemini-1",
        usage: { input: prompt },
      })
      expect(nanocredits(receipt.cost)).toBe(BigInt(prompt) * 1_000n)
      await nothingHeld(caller)
    })

    test(`have the same numbers in base64 as in floats: ${model}`, async () => {
      const caller = await gateway.caller("1")
      const floats = await embed(caller, { model, input: TEXTS })
      const texts = await embed(caller, { model, input: TEXTS, encoding_format: "base64" })
      texts.json.data.forEach(({ embedding }, index) => {
        expect(typeof embedding).toBe("string")
        const told = floats.json.data[index]?.embedding ?? []
        expect(numbersOf(embedding).map(Math.fround)).toEqual(numbersOf(told).map(Math.fround))
      })
    })

    test(`can be requested with tokens, which are converted to text for vendors without token input: ${model}`, async () => {
      const caller = await gateway.caller("1")
      // The tokens of "Hello, world!" in cl100k_base.
      const input = [[9906, 11, 1917, 0]]
      const { json } = await embed(caller, { model, input })
      expect(json.data.length).toBe(1)
      const takesTokens = model === "all/openai" || model === "all/azure"
      const sent = JSON.stringify(gateway.simulator.requests.at(-1)?.body)
      expect(sent).toContain(takesTokens ? "[[9906,11,1917,0]]" : "Hello, world!")
    })
  }

  test("have the requested number of dimensions, without a reported loss", async () => {
    const caller = await gateway.caller("1")
    for (const model of everybody) {
      const body = { model, input: "rain", dimensions: 256 }
      const { json, response } = await embed(caller, body)
      expect([model, json.data[0]?.embedding.length]).toEqual([model, 256])
      expect(lengthOf(json.data[0]?.embedding)).toBeCloseTo(1, 4)
      expect(response.headers.get("x-tollgate-losses")).toBeNull()
    }
  })

  test("cause a reported loss, or an error for a strict caller, if a field is unsupported", async () => {
    const caller = await gateway.caller("1")
    const body = { model: "all/cohere", input: "rain", user: "u" }
    const { response } = await embed(caller, body)
    expect(response.headers.get("x-tollgate-losses")).toBe("user:dropped")
    const calls = gateway.simulator.requests.length
    const strict = await caller.post(PATH, body, { "x-tollgate-strict": "true" })
    expect(await errorOf(strict)).toMatchObject({ status: 400, error_type: "not_carried" })
    await nothingHeld(caller)
    expect(gateway.simulator.requests.length).toBe(calls)
  })
})

describe("base64 embeddings", () => {
  const lastAsked = (): unknown => {
    const body = gateway.simulator.requests.at(-1)?.body
    return isJsonObject(body) ? body["encoding_format"] : body
  }

  test("come from the vendor only if the caller requests base64", async () => {
    const caller = await gateway.caller("1")
    await embed(caller, { model: "sim/embed", input: TEXTS, encoding_format: "base64" })
    expect(lastAsked()).toBe("base64")
    await embed(caller, { model: "sim/embed", input: TEXTS })
    expect(lastAsked()).toBeUndefined()
  })

  for (const model of ["sim/rejects-base64", "sim/ignores-base64", "sim/answers-base64"]) {
    test(`have the format that the caller requested, regardless of the vendor's format: ${model}`, async () => {
      const caller = await gateway.caller("1")
      const expected = await embed(caller, { model: "sim/embed", input: TEXTS })
      for (const encoding_format of ["base64", "float"]) {
        const { json, receipt } = await embed(caller, { model, input: TEXTS, encoding_format })
        const isRejected = model === "sim/rejects-base64" && encoding_format === "base64"
        expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(
          isRejected ? ["rejected_by_upstream", "ok"] : ["ok"],
        )
        expect(receipt.usage).toEqual(expected.receipt.usage)
        json.data.forEach(({ embedding }, index) => {
          expect(typeof embedding).toBe(encoding_format === "base64" ? "string" : "object")
          const wanted = expected.json.data[index]?.embedding ?? []
          expect(numbersOf(embedding)).toEqual(numbersOf(wanted))
        })
      }
      await nothingHeld(caller)
    })
  }
})

describe("embedding inputs above a vendor's maximum", () => {
  const many = Array.from({ length: 250 }, (_, index) => `text ${index}`)

  for (const [model, calls] of [
    ["all/cohere", 3],
    ["all/gemini-2", 3],
    ["all/voyage", 2],
    ["all/openai", 1],
  ] as const) {
    test(`require several calls: 250 inputs to ${model} in ${calls} calls`, async () => {
      const caller = await gateway.caller("1")
      const before = gateway.simulator.requests.length
      const { json, receipt } = await embed(caller, { model, input: many })
      expect(gateway.simulator.requests.length - before).toBe(calls)
      expect(receipt.attempts.length).toBe(calls)
      expect(json.data.length).toBe(250)
      const { json: one } = await embed(caller, { model, input: many[249] })
      expect(json.data[249]?.embedding).toEqual(one.data[0]?.embedding ?? "none")
      // Each text consists of "text" and a number.
      expect(receipt.usage).toEqual({ input: 500 })
    })
  }
})

describe("charges for embeddings", () => {
  test("follow the gateway's own count if usage is missing or zero, and the operator is notified", async () => {
    for (const model of ["sim/fault-no-usage", "sim/fault-wrong-usage"]) {
      const caller = await gateway.caller("1")
      const { json, receipt } = await embed(caller, { model, input: "the cat sat" })
      expect(receipt).toMatchObject({ estimated: true, usage: { input: 3 } })
      expect(json.usage.prompt_tokens).toBe(3)
      expect(gateway.heard.at(-1)).toMatchObject({ name: "usageMissing" })
    }
  })

  test("require a hold of one token per byte", async () => {
    const caller = await gateway.caller("1")
    const body = { model: "sim/embed", input: "the cat sat" }
    const { receipt } = await embed(caller, body)
    expect(nanocredits(receipt.hold)).toBe(BigInt(JSON.stringify(body).length) * 1_000n)
  })

  test("require enough credits before the vendor is called", async () => {
    const caller = await gateway.caller("0.00001")
    const before = gateway.simulator.requests.length
    const response = await caller.post(PATH, { model: "sim/embed", input: "the cat sat" })
    expect(await errorOf(response)).toMatchObject({
      status: 402,
      error_type: "insufficient_credits",
    })
    expect(gateway.simulator.requests.length).toBe(before)
    expect(await caller.balance()).toBe(10_000n)
  })

  test("exclude reported usage that exceeds the bytes of the request", async () => {
    const caller = await gateway.caller("20")
    const { receipt } = await embed(caller, { model: "sim/fault-huge-usage", input: "rain" })
    expect(receipt).toMatchObject({ usage_reported: { input: 10_000_001 } })
    expect(nanocredits(receipt.cost)).toBe(nanocredits(receipt.hold))
    expect(await caller.balance()).toBe(nanocredits("20") - nanocredits(receipt.hold))
  })

  test("exclude failed upstream calls", async () => {
    for (const model of ["sim/fault-500", "sim/fault-malformed", "sim/fault-cut"]) {
      const caller = await gateway.caller("1")
      const response = await caller.post(PATH, { model, input: "rain" })
      expect([model, (await errorOf(response)).status]).toEqual([model, 502])
      await nothingHeld(caller)
      expect((await creditsOf(caller)).balance).toBe("1")
    }
  })

  test("include only the deployment that answers after a failure", async () => {
    const caller = await gateway.caller("1")
    const { receipt } = await embed(caller, { model: "two/embed", input: "rain" })
    expect(receipt.deployment).toBe("sim/embed")
    expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(["upstream_error", "ok"])
  })
})

describe("an invalid embedding request", () => {
  const cases: [string, object | string, number, string][] = [
    ["no input", { model: "sim/embed" }, 400, "missing_required_parameter"],
    ["an empty text", { model: "sim/embed", input: "" }, 400, "invalid_value"],
    ["an empty list", { model: "sim/embed", input: [] }, 400, "invalid_value"],
    ["a list of objects", { model: "sim/embed", input: [{}] }, 400, "invalid_type"],
    ["no dimensions", { model: "sim/embed", input: "a", dimensions: 0 }, 400, "below_min_value"],
    ["an encoding", { model: "sim/embed", input: "a", encoding_format: "x" }, 400, "invalid_value"],
    ["no model", { input: "a" }, 400, "missing_required_parameter"],
    ["an unknown model", { model: "sim/embedd", input: "a" }, 404, "model_not_found"],
    ["a model for chat", { model: "sim/echo", input: "a" }, 400, "model_not_supported"],
    ["a model without a price", { model: "sim/unpriced", input: "a" }, 402, "model_not_priced"],
    [
      "a vendor without embeddings",
      { model: "claude/embed", input: "a" },
      400,
      "model_not_supported",
    ],
    ["invalid tokens", { model: "all/cohere", input: [100_256] }, 400, "invalid_value"],
    ["invalid JSON", "{", 400, "invalid_json"],
  ]
  for (const [name, body, status, kind] of cases) {
    test(`returns ${status} ${kind} for ${name}, without a call, a hold or a charge`, async () => {
      const caller = await gateway.caller("1")
      const before = gateway.simulator.requests.length
      const response = await caller.post(PATH, body)
      expect(await errorOf(response)).toMatchObject({ status, error_type: kind })
      expect(response.headers.get("x-should-retry")).toBe("false")
      await nothingHeld(caller)
      expect(gateway.simulator.requests.length).toBe(before)
      expect(await caller.balance()).toBe(nanocredits("1"))
      for (const receipt of receiptsOf(gateway, caller)) expect(receipt.status).toBe("released")
    })
  }

  test("returns the vendor's own error message", async () => {
    const caller = await gateway.caller("1")
    const response = await caller.post(PATH, {
      model: "sim/embed",
      input: "a",
      late_chunking: true,
    })
    expect(await errorOf(response)).toMatchObject({
      status: 400,
      message: "Unknown parameter: 'late_chunking'.",
    })
  })

  test("returns an error if it has no key, or no access to the model", async () => {
    const body = { model: "sim/embed", input: "a" }
    const bare = await fetch(gateway.url + PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    expect(bare.status).toBe(401)
    const caller = await gateway.caller("1", { models: ["sim/echo"] })
    expect((await caller.post(PATH, body)).status).toBe(403)
  })
})
