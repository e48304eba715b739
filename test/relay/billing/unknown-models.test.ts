import { expect, test } from "bun:test"
import { provider, startGateway } from "../../support/gateway.ts"

const MESSAGES = [{ role: "user", content: "Hello" }]

test("an unknown model is called, held and charged at the price in the settings", async () => {
  await using gateway = await startGateway({
    settings: { unknownModels: { price: { input: "1000", output: "2000" } } },
    providersAt: (url) => ({ openai: { ...provider(`${url}/v1`, "openai"), knownModels: true } }),
  })
  const caller = await gateway.caller("10")
  const before = await caller.balance()
  const response = await caller.post("/v1/chat/completions", {
    model: "openai/echo",
    max_tokens: 50,
    messages: MESSAGES,
  })
  expect(response.status).toBe(200)
  const { usage, model } = (await response.json()) as {
    usage: { prompt_tokens: number; completion_tokens: number }
    model: string
  }
  expect(model).toBe("openai/echo")
  const cost =
    BigInt(usage.prompt_tokens) * 1_000_000n + BigInt(usage.completion_tokens) * 2_000_000n
  expect(before - (await caller.balance())).toBe(cost)
  const receipt = await caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
  expect(JSON.stringify(await receipt.json())).toContain('"2000"')
  // If the balance is below the maximum cost, the request is rejected, or the response is limited, as for every model.
  const poor = await gateway.caller("0.0001")
  const rejected = await poor.post("/v1/chat/completions", {
    model: "openai/echo",
    messages: MESSAGES,
  })
  expect(rejected.status).toBe(402)
})

test("invented model names open no circuit breakers, regardless of the vendor's response", async () => {
  using vendor = Bun.serve({ port: 0, fetch: () => new Response("{}", { status: 500 }) })
  await using gateway = await startGateway({
    settings: { unknownModels: { price: { input: "1", output: "2" } } },
    providers: {
      openai: { ...provider(`http://127.0.0.1:${vendor.port}/v1`, "openai"), knownModels: true },
    },
  })
  const caller = await gateway.caller("10")
  for (let index = 0; index < 5; index++) {
    const model = "openai/made-up"
    const response = await caller.post("/v1/chat/completions", { model, messages: MESSAGES })
    // If the circuit were open, the status would be 503.
    expect(response.status).toBe(502)
  }
})

test("a request for a model that does not exist at the vendor returns the vendor's error, free of charge", async () => {
  await using gateway = await startGateway({
    settings: { unknownModels: { price: { input: "1", output: "2" } } },
    providersAt: (url) => ({ openai: { ...provider(`${url}/v1`, "openai"), knownModels: true } }),
  })
  const caller = await gateway.caller("10")
  const before = await caller.balance()
  const model = "openai/no-such-model"
  const response = await caller.post("/v1/chat/completions", { model, messages: MESSAGES })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    error: { code: "model_not_found", param: "model" },
  })
  expect(await caller.balance()).toBe(before)
  const streamed = await caller.post("/v1/messages", {
    model,
    max_tokens: 10,
    stream: true,
    messages: MESSAGES,
  })
  expect(streamed.status).toBe(404)
  expect(await streamed.json()).toMatchObject({ error: { type: "not_found_error" } })
  // The operator receives no event for this error, however often it occurs.
  expect(gateway.heard.filter(({ name }) => name === "attemptFailed")).toEqual([])
})
