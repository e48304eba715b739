import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelKind } from "tollgate-contract/model-kinds.ts"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { wave } from "../../support/audio.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { errorOf, receiptOf } from "../support.ts"

const SUSPENDED = {
  error: { message: "Account acme is suspended.", code: "PRECONDITION_FAILED", type: "error" },
}
const REJECTED = {
  error: { message: "Unknown parameter: 'x'.", type: "invalid_request_error", code: "unknown" },
}

type Ask = (model: string) => Promise<Response>

interface Operation {
  readonly kind: ModelKind
  readonly vendor: string
  readonly price: ModelSettings["price"]
  readonly ask: Ask
}

function postJson(path: string, body: object): Ask {
  return (model) => caller.post(path, { model, ...body })
}

function transcribe(model: string): Promise<Response> {
  const body = new FormData()
  body.append("model", model)
  body.append("file", new File([wave(1)], "speech.wav"))
  const headers = { authorization: `Bearer ${caller.key}` }
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", headers, body })
}

const OPERATIONS: readonly Operation[] = [
  {
    kind: "embedding",
    vendor: "openai-compatible",
    price: { input: "1" },
    ask: postJson("/v1/embeddings", { input: "Hi" }),
  },
  {
    kind: "rerank",
    vendor: "openrouter",
    price: { input: "1", search: "0.001" },
    ask: postJson("/v1/rerank", { query: "Hi", documents: ["a"] }),
  },
  {
    kind: "image",
    vendor: "openai-compatible",
    price: { image: "0.01" },
    ask: postJson("/v1/images/generations", { prompt: "a cat" }),
  },
  {
    kind: "speech",
    vendor: "openai-compatible",
    price: { character: "1" },
    ask: postJson("/v1/audio/speech", { input: "Hi", voice: "alloy" }),
  },
  {
    kind: "transcription",
    vendor: "openai-compatible",
    price: { second: "1" },
    ask: transcribe,
  },
]

const RESPONSES = {
  suspended: () => Response.json(SUSPENDED, { status: 412 }),
  reported: () => Response.json(SUSPENDED),
  rejected: () => Response.json(REJECTED, { status: 400 }),
  rejecting: () => Response.json(REJECTED),
} as const
type Way = keyof typeof RESPONSES

let server: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      await request.arrayBuffer()
      const way = new URL(request.url).pathname.split("/")[1] as Way
      return RESPONSES[way]()
    },
  })
  const providers: Record<string, ProviderSettings> = {}
  const models: Record<string, ModelSettings> = {}
  for (const { kind, vendor, price } of OPERATIONS) {
    for (const way of Object.keys(RESPONSES)) {
      const ids = ["first", "second"].map((name) => `${way}-${kind}-${name}`)
      for (const id of ids) {
        const url = `http://127.0.0.1:${server.port}/${way}/v1`
        providers[id] = { ...provider(url, vendor), apiKey: "key" }
      }
      const deployments = ids.map((id) => ({ provider: id, model: "one", weight: 1 }))
      models[`m/${way}-${kind}`] = { kind, price, deployments, strategy: "order" } as ModelSettings
    }
  }
  gateway = await startGateway({ providers, models })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server.stop(true)
})

describe.each(OPERATIONS)("errors of providers of $kind", ({ kind, ask }) => {
  test.each([
    ["status 412", "suspended"],
    ["status 200", "reported"],
  ] as const)(
    "cause an attempt at the next deployment if the account is suspended: %s",
    async (_, way) => {
      const response = await ask(`m/${way}-${kind}`)
      const receipt = await receiptOf(caller, response)
      expect(receipt.attempts.map(({ deployment }) => deployment)).toEqual([
        `${way}-${kind}-first/one`,
        `${way}-${kind}-second/one`,
      ])
      const error = await errorOf(response)
      expect([error.status, error.error_type]).toEqual([502, "upstream_error"])
      expect(error.message).not.toContain("suspended")
      const logged = gateway.heard.filter(
        ({ name, facts }) => name === "attemptFailed" && facts[0] === receipt.id,
      )
      expect(logged.map(({ facts }) => facts[2])).toMatchObject([
        { cause: expect.stringContaining("account") },
        { cause: expect.stringContaining("account") },
      ])
    },
  )

  test.each([
    ["status 400", "rejected"],
    ["status 200", "rejecting"],
  ] as const)("reach the caller if the request itself is rejected: %s", async (_, way) => {
    const response = await ask(`m/${way}-${kind}`)
    const receipt = await receiptOf(caller, response)
    expect(receipt.attempts).toHaveLength(1)
    const error = await errorOf(response)
    expect([error.status, error.error_type]).toEqual([400, "rejected_by_upstream"])
    expect(error.message).toBe("Unknown parameter: 'x'.")
  })
})
