import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { errorOf, HELLO } from "../support.ts"

const CHAT = "/v1/chat/completions"

let gateway: TestGateway
let vendor: ScriptedVendor

beforeAll(async () => {
  const response = completion({ model: "acme/small" })
  vendor = startVendor((_, number) => respond(CHAT, vendor.bodies[number - 1], response))
  gateway = await startGateway({
    providers: { vercel: provider(vendor.url, "vercel") },
    models: { "vercel/acme/small": simulated({ context: 1_000_000, maxOutput: 50 }) },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

test.each([
  ["providerOptions.google.serviceTier", { google: { serviceTier: "priority" } }],
  ["providerOptions.vertex.sharedRequestType", { vertex: { sharedRequestType: "priority" } }],
  ["providerOptions.spacexai.serviceTier", { spacexai: { serviceTier: "priority" } }],
  ["providerOptions.xai.serviceTier", { xai: { serviceTier: "priority" } }],
  ["providerOptions.gateway.user", { gateway: { user: "a" } }],
  ["providerOptions.gateway.tags", { gateway: { tags: ["a", "b"] } }],
  ["providerOptions.gateway.inferenceRegion", { gateway: { inferenceRegion: { scope: "zone" } } }],
  ["providerOptions.anthropic.thinking", { anthropic: { thinking: { budgetTokens: 60_000 } } }],
  ["providerOptions.openai.maxCompletionTokens", { openai: { maxCompletionTokens: 60_000 } }],
  ["providerOptions.openai.reasoningMode", { openai: { reasoningMode: "pro" } }],
  ["providerOptions.anthropic.mcpServers", { anthropic: { mcpServers: [{ url: "https://a" }] } }],
  [
    "providerOptions.anthropic.cacheControl.ttl",
    { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } },
  ],
])(
  "an option for Vercel's gateway with an unknown price is rejected: %s",
  async (place, options) => {
    const caller = await gateway.caller("10")
    const post = (fields: object) =>
      caller.post(CHAT, { model: "vercel/acme/small", max_tokens: 50, messages: HELLO, ...fields })
    const sent = vendor.bodies.length
    const rejection = { status: 400, code: "feature_not_priced" }
    const direct = await errorOf(await post({ providerOptions: options }))
    expect(direct).toMatchObject({ ...rejection, param: place })
    const part = { type: "text", text: "Hi", providerOptions: options }
    const inPart = await errorOf(await post({ messages: [{ role: "user", content: [part] }] }))
    expect(inPart).toMatchObject(rejection)
    expect(inPart.message).toContain("messages[0].content[0].providerOptions")
    expect(vendor.bodies.length).toBe(sent)
  },
)

test("options for Vercel's gateway that are known are passed on", async () => {
  const caller = await gateway.caller("10")
  const providerOptions = {
    gateway: { quotaEntityId: "a", caching: "auto" },
    anthropic: { cacheControl: { type: "ephemeral" }, effort: "low" },
    google: { thinkingConfig: { includeThoughts: true } },
  }
  const body = { model: "vercel/acme/small", messages: HELLO, max_tokens: 50, providerOptions }
  const response = await caller.post(CHAT, body)
  expect(response.status, await response.text()).toBe(200)
  expect(vendor.bodies.at(-1)?.["providerOptions"]).toEqual({
    ...providerOptions,
    gateway: { ...providerOptions.gateway, sort: "cost" },
  })
})

test("a user id is not sent to Vercel, because Vercel bills each user id", async () => {
  const caller = await gateway.caller("10")
  const body = { model: "vercel/acme/small", messages: HELLO, max_tokens: 50, user: "someone" }
  for (const stream of [false, true]) {
    const response = await caller.post(CHAT, { ...body, stream })
    expect(response.status, await response.text()).toBe(200)
    expect(response.headers.get("x-tollgate-losses")).toContain("user:dropped")
    expect(vendor.bodies.at(-1)).not.toHaveProperty("user")
  }
})
