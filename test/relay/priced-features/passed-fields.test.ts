import { afterAll, beforeAll, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { png } from "../../support/png.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { creditsOf, errorOf } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway

/** Returns a model at the given providers: at a router, or at servers that do not bill. */
function at(kind: "embedding" | "speech" | "image", ...providers: string[]): ModelSettings {
  const deployments = providers.map((name) => ({ provider: name, model: "up", weight: 1 }))
  const prices = {
    speech: { character: "15" },
    image: { image: "10000" },
    embedding: { input: "1" },
  }
  const price = prices[kind]
  return { kind, price, deployments }
}

beforeAll(async () => {
  vendor = startVendor(() => {
    const data = [{ object: "embedding", index: 0, embedding: [1, 2] }]
    return Response.json({ object: "list", model: "up", data, usage: { prompt_tokens: 1 } })
  })
  gateway = await startGateway({
    providers: {
      router: provider(vendor.url, "openrouter"),
      own: provider(vendor.url, "vllm"),
      litellm: provider(vendor.url, "openai-compatible"),
    },
    models: {
      "router/vectors": at("embedding", "router"),
      "router/voice": at("speech", "router"),
      "litellm/image": at("image", "litellm"),
      "both/vectors": at("embedding", "router", "own"),
      "own/vectors": at("embedding", "own"),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const PATH = "/v1/embeddings"

const VECTORS: readonly [string, object] = [PATH, { model: "router/vectors", input: "Hi" }]
const OWN_VECTORS: readonly [string, object] = [PATH, { model: "own/vectors", input: "Hi" }]
const VOICE: readonly [string, object] = [
  "/v1/audio/speech",
  { model: "router/voice", input: "Hi", voice: "a" },
]
const UNKNOWN_MODEL = { models: ["acme/dear"] }
const UNKNOWN_PROVIDER = { provider: { order: ["No"], quantizations: ["fp8"] } }

test.each([
  ["models[0]", UNKNOWN_MODEL, { status: 404, code: "model_not_found" }, [OWN_VECTORS]],
  [
    "provider.quantizations",
    UNKNOWN_PROVIDER,
    { status: 400, code: "invalid_value" },
    [OWN_VECTORS],
  ],
  [
    "service_tier",
    { service_tier: "priority" },
    { status: 400, code: "feature_not_priced" },
    [VECTORS, VOICE],
  ],
])(
  "%s in a request to an operation other than chat is rejected",
  async (place, fields, rejection, requests) => {
    const caller = await gateway.caller("1")
    for (const [path, body] of requests) {
      const error = await errorOf(await caller.post(path, { ...body, ...fields }))
      expect(error).toMatchObject({ ...rejection, param: place })
    }
    expect(vendor.bodies).toHaveLength(0)
    expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
  },
)

test.each([
  ["fallbacks[0]", { fallbacks: ["img-pro"] }],
  ["service_tier", { service_tier: "priority" }],
  ["context_window_fallbacks", { context_window_fallbacks: [{ up: ["img-pro"] }] }],
])("%s in a request for images is rejected", async (place, fields) => {
  const caller = await gateway.caller("1")
  const rejection = { status: 400, code: "feature_not_priced", param: place }
  const order = { model: "litellm/image", prompt: "A cat" }
  const generation = await caller.post("/v1/images/generations", { ...order, ...fields })
  expect(await errorOf(generation)).toMatchObject(rejection)
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...order, ...fields })) {
    form.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  form.append("image", new File([png(8, 8)], "a.png", { type: "image/png" }))
  const headers = { authorization: `Bearer ${caller.key}` }
  const edit = await fetch(`${gateway.url}/v1/images/edits`, {
    method: "POST",
    headers,
    body: form,
  })
  expect((await errorOf(edit)).status).toBe(400)
  expect(vendor.bodies).toHaveLength(0)
  expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
})

test("unsupported OpenRouter fields are dropped, or cause an error for a strict caller", async () => {
  const caller = await gateway.caller("1")
  const [path, body] = VECTORS
  const fields = { ...UNKNOWN_MODEL, ...UNKNOWN_PROVIDER }
  const response = await caller.post(path, { ...body, ...fields })
  expect([response.status, response.headers.get("x-tollgate-losses")]).toEqual([
    200,
    "models:dropped, provider.quantizations:dropped, provider.order:dropped",
  ])
  const strict = await caller.post(path, { ...body, ...fields }, { "x-tollgate-strict": "true" })
  expect(strict.status).toBe(400)
})

test("a priced field is sent only to a deployment that does not charge for the field", async () => {
  const caller = await gateway.caller("1")
  const body = { input: "Hi", service_tier: "priority" }
  const own = await caller.post(PATH, { ...body, model: "both/vectors" })
  expect(own.headers.get("x-tollgate-provider")).toBe("own")
  const plain = await caller.post(PATH, { model: "router/vectors", input: "Hi", truncate: "END" })
  expect(plain.status).toBe(200)
  expect(vendor.bodies.at(-1)).toMatchObject({ truncate: "END" })
})
