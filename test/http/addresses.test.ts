import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import OpenAI, { AzureOpenAI } from "openai"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  const deployments = [{ provider: "sim", model: "echo", weight: 1 }]
  gateway = await startGateway({ models: { "sim/other": simulated({ deployments }) } })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const HELLO = [{ role: "user" as const, content: "Hello" }]
const CHAT = { model: "sim/echo", messages: HELLO }

describe("a base URL with a common mistake", () => {
  test.each(["", "/v1/v1", "//v1", "/v1/", "/api/v1", "/openai/v1", "/v1//"])(
    "works in OpenAI's client: '%s'",
    async (base) => {
      const baseURL = gateway.url + base
      const client = new OpenAI({ apiKey: caller.key, baseURL, maxRetries: 0 })
      const answer = await client.chat.completions.create(CHAT)
      expect(answer.choices[0]?.message.content).toContain("Hello")
      const models = await client.models.list()
      expect(models.data.map(({ id }) => id)).toContain("sim/echo")
      const { id } = await client.models.retrieve("sim/echo")
      expect(id).toBe("sim/echo")
    },
  )

  test.each(["/v1", "/anthropic", "/anthropic/v1", "/v1/"])(
    "works in Anthropic's client: '%s'",
    async (base) => {
      const baseURL = gateway.url + base
      const client = new Anthropic({ apiKey: caller.key, baseURL, maxRetries: 0 })
      const order = { model: "sim/echo", messages: HELLO, max_tokens: 50 }
      const answer = await client.messages.create(order)
      expect(JSON.stringify(answer.content)).toContain("Hello")
      const stream = client.messages.stream(order)
      expect(await stream.finalText()).toContain("Hello")
      const { messages, model } = order
      const counted = await client.messages.countTokens({ messages, model })
      expect(counted.input_tokens).toBeGreaterThan(0)
    },
  )

  test("works if the path ends with a slash", async () => {
    const response = await caller.post("/v1/chat/completions/", CHAT)
    expect(response.status).toBe(200)
    const models = (await (await caller.get("/v1/models/")).json()) as { object: string }
    expect(models.object).toBe("list")
  })

  test("replays the response of an idempotency key that was used at the correct URL", async () => {
    const headers = { "idempotency-key": "one" }
    const first = await caller.post("/chat/completions", CHAT, headers)
    const before = await caller.balance()
    const second = await caller.post("/chat/completions", CHAT, headers)
    expect(await second.text()).toBe(await first.text())
    expect(await caller.balance()).toBe(before)
  })

  test("works with a superfluous /v1", async () => {
    expect((await caller.get("/v1/v1beta/models")).status).toBe(200)
    expect((await fetch(`${gateway.url}/v1/healthz`)).status).toBe(200)
  })
})

describe("Google's paths", () => {
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }]

  test.each([
    "/v1beta/sim/echo:generateContent",
    "/v1/sim/echo:generateContent",
    "/v1beta/sim%2Fecho:generateContent",
    "/v1beta1/projects/p/locations/global/publishers/google/models/sim/echo:generateContent",
    "/v1beta/sim/echo:streamGenerateContent?alt=sse",
  ])("work without 'models/' or with Vertex AI's prefix: %s", async (path) => {
    const response = await caller.post(path, { contents })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"text":"Hell')
  })

  test("work without 'models/' for token counts", async () => {
    const response = await caller.post("/v1beta/sim/echo:countTokens", { contents })
    expect(await response.json()).toMatchObject({ totalTokens: expect.any(Number) })
  })
})

test("/health returns the same as /healthz", async () => {
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
})

test("a gateway key takes precedence over another credential in the same request", async () => {
  for (const header of ["x-api-key", "x-goog-api-key"]) {
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: "Bearer sk-ant-oat01-other", [header]: caller.key },
    })
    expect(response.status).toBe(200)
  }
})

describe("Azure's paths", () => {
  test("work in Azure's client, which sends its own API key header", async () => {
    const options = { apiKey: caller.key, endpoint: gateway.url, apiVersion: "2026-01-01" }
    const client = new AzureOpenAI({ ...options, maxRetries: 0 })
    const answer = await client.chat.completions.create(CHAT)
    expect(answer.model).toBe("sim/echo")
    const response = await client.responses.create({ model: "sim/echo", input: "Hello" })
    expect(response.output_text).toContain("Hello")
  })

  test("determine the model if the body names no model", async () => {
    const path = "/openai/deployments/sim%2Fother/chat/completions?api-version=2026-01-01"
    const response = await caller.post(path, { messages: HELLO })
    expect(((await response.json()) as { model: string }).model).toBe("sim/other")
    const plain = await caller.post(
      path.replace("%2F", "/"),
      ` \n{"messages": [{"role":"user","content":"x"}]}`,
    )
    expect(((await plain.json()) as { model: string }).model).toBe("sim/other")
    const said = await caller.post(path, CHAT)
    expect(((await said.json()) as { model: string }).model).toBe("sim/echo")
  })

  test("return an error that names the missing fields of an empty body", async () => {
    const path = "/openai/deployments/sim%2Fother/chat/completions"
    for (const body of ["{}", " {\n } "]) {
      const response = await caller.post(path, body)
      const { error } = (await response.json()) as { error: { code: string; param: string } }
      expect([response.status, error.code, error.param]).toEqual([
        400,
        "missing_required_parameter",
        "messages",
      ])
    }
  })

  test("return an invalid JSON error if the body is not an object", async () => {
    const path = "/openai/deployments/sim%2Fother/chat/completions"
    for (const body of ["", "[]", "{", "nothing"]) {
      const response = await caller.post(path, body)
      const { error } = (await response.json()) as { error: { code: string } }
      expect([body, response.status, error.code]).toEqual([body, 400, "invalid_json"])
    }
  })
})

describe("an unknown path", () => {
  test("returns an error that names the nearest known path", async () => {
    const response = await caller.post("/v1/chat/completion", CHAT)
    const { error } = (await response.json()) as { error: { message: string; code: string } }
    expect([response.status, error.code]).toEqual([404, "not_found"])
    expect(error.message).toContain("Did you mean '/v1/chat/completions'?")
  })

  test("returns an error in Anthropic's envelope to Anthropic clients", async () => {
    const headers = { "anthropic-version": "2023-06-01" }
    const response = await caller.post("/v1/messages/batches", {}, headers)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "not_found_error" },
      request_id: response.headers.get("x-request-id"),
    })
    const wrongMethod = await caller.get("/v1/messages")
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get("allow")).toBe("POST")
    expect(await wrongMethod.json()).toMatchObject({ type: "error" })
    const counted = await caller.get("/v1/messages/count_tokens")
    expect(counted.status).toBe(405)
    expect(await counted.json()).toMatchObject({ type: "error" })
  })

  test("never suggests a path of the management API or the console", async () => {
    for (const path of ["/v1/admin/v1/keys", "/openai/admin/v1/keys", "/v1/console/"]) {
      expect([path, (await caller.get(path)).status]).toEqual([path, 404])
    }
  })
})
