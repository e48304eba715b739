import { afterAll, beforeAll, expect, test } from "bun:test"
import { FittedWorld, FORMATS } from "../fitting/fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({
    "m/routed": ["openrouter", "openai/gpt-4.1"],
    "m/groq": ["groq", "llama-3.3-70b-versatile"],
  })
})

afterAll(() => world[Symbol.asyncDispose]())

const PROVIDER = {
  order: ["anthropic", "google-vertex/us"],
  only: ["anthropic"],
  ignore: ["deepinfra"],
  quantizations: ["fp8"],
  preferred_min_throughput: 50,
  allow_fallbacks: true,
}
const LOSSES = [
  "provider.quantizations",
  "provider.preferred_min_throughput",
  "provider.order",
  "provider.only",
  "provider.ignore",
]

// Google's format is excluded, because its fields have another form.
const ALL = FORMATS.filter((format) => format !== "gemini").flatMap((format) =>
  [false, true].map((stream) => [format, stream] as const),
)

test.each(ALL)(
  "OpenRouter fields that the gateway does not support are dropped at %s, streamed: %p",
  async (format, stream) => {
    const more = { provider: PROVIDER, models: ["acme/other"] }
    const { sent, losses } = await world.ask(format, "m/routed", {}, { stream, more })
    expect(sent.body["provider"]).toEqual({ sort: "price" })
    expect(sent.body).not.toHaveProperty("models")
    expect(losses.split(", ")).toEqual(["models", ...LOSSES].map((name) => `${name}:dropped`))
  },
)

const CHAT = "/v1/chat/completions"
const BODY = { model: "m/routed", messages: [{ role: "user", content: "Hi" }] }

test("routing preferences that name the gateway's own providers are applied", async () => {
  const provider = { only: ["openrouter", "anthropic"] }
  const { losses } = await world.post(CHAT, { ...BODY, provider })
  expect(losses).toBe("provider.only:dropped")
  const none = await world.request(CHAT, { ...BODY, provider: { only: ["groq"] } })
  expect(none.status).toBe(400)
})

test.each([
  [{ ...BODY, provider: PROVIDER }, { "x-tollgate-strict": "true" }],
  [{ ...BODY, provider: { ...PROVIDER, require_parameters: true } }, {}],
  [{ ...BODY, model: "m/groq", provider: PROVIDER }, {}],
  [{ ...BODY, provider: { data_collection: "deny" } }, {}],
  [{ ...BODY, provider: { zdr: true } }, {}],
])(
  "strict callers, unknown providers and required data policies cause an error: %j",
  async (body, headers) => {
    expect((await world.request(CHAT, body, headers)).status).toBe(400)
  },
)
