import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"

let gateway: TestGateway
let vendor: ScriptedVendor

beforeAll(async () => {
  vendor = startVendor(() => Response.json({}))
  gateway = await startGateway({
    providers: { google: provider(vendor.url, "google") },
    models: { "google/m": simulated() },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

test.each([
  ["routingConfig", { routingConfig: { manualMode: { modelName: "gemini-3.1-pro" } } }],
  ["routingConfig", { routing_config: { auto_mode: {} } }],
  ["modelSelectionConfig", { modelSelectionConfig: { featureSelectionPreference: "BALANCED" } }],
])("a request that lets Gemini select another model is rejected: %s", async (name, config) => {
  const caller = await gateway.caller("10")
  for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
    const response = await caller.post(`/v1beta/models/google/m:${method}`, {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { maxOutputTokens: 50, ...config },
    })
    const text = await response.text()
    expect(response.status, text).toBe(400)
    expect(text).toContain(`generationConfig.${name}`)
    expect(text).toContain("cannot be priced")
  }
  expect(vendor.bodies).toHaveLength(0)
})
