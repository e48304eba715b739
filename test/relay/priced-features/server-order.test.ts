import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"

const HELLO = [{ role: "user", content: "Hello" }]
const REQUESTS: readonly [path: string, content: object][] = [
  ["/v1/chat/completions", { messages: HELLO }],
  ["/v1/messages", { max_tokens: 50, messages: HELLO }],
  ["/v1/responses", { input: HELLO }],
]

let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor(() => Response.json(completion()))
  const chat = { dialects: ["openai-chat" as const] }
  gateway = await startGateway({
    providers: {
      openrouter: { ...provider(vendor.url, "openrouter"), ...chat },
      vercel: provider(vendor.url, "vercel"),
      other: provider(vendor.url),
    },
    models: {
      "openrouter/a": simulated(),
      "openrouter/any": { ...simulated(), rules: { server_order: "any" } },
      "vercel/a": simulated(),
      "other/a": simulated(),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function sent(path: string, body: object): Promise<Record<string, unknown> | undefined> {
  const caller = await gateway.caller("10")
  const posted = await caller.post(path, body)
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  return vendor.bodies.at(-1)
}

describe.each(REQUESTS)("a request to %s", (path, content) => {
  test("requests the cheapest server at OpenRouter and Vercel", async () => {
    const routed = await sent(path, { model: "openrouter/a", ...content })
    expect(routed?.["provider"]).toEqual({ sort: "price" })
    const options = await sent(path, { model: "vercel/a", ...content })
    expect(options?.["providerOptions"]).toEqual({ gateway: { sort: "cost" } })
  })

  test("requests no server at other providers, or if a model rule turns this off", async () => {
    for (const model of ["other/a", "openrouter/any"]) {
      const body = await sent(path, { model, ...content })
      expect(body).not.toHaveProperty("provider")
      expect(body).not.toHaveProperty("providerOptions")
    }
  })
})

test("the Vercel options of a request are sent together with the order of servers", async () => {
  const gatewayOptions = { caching: "auto" }
  const body = await sent("/v1/chat/completions", {
    model: "vercel/a",
    messages: HELLO,
    providerOptions: { gateway: gatewayOptions },
  })
  expect(body?.["providerOptions"]).toEqual({ gateway: { ...gatewayOptions, sort: "cost" } })
})
