import { afterAll, beforeAll, expect, test } from "bun:test"
import type { ModelSettings } from "../../src/config/settings.ts"
import { provider, startGateway, type TestGateway } from "../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "./scripted-vendor.ts"
import { creditsOf, errorOf } from "./support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway

/** At a router, and at one whose servers no one bills. */
function at(kind: "embedding" | "speech", ...providers: string[]): ModelSettings {
  const deployments = providers.map((name) => ({ provider: name, model: "up", weight: 1 }))
  const price = kind === "speech" ? { character: "15" } : { input: "1" }
  return { kind, price, deployments }
}

beforeAll(async () => {
  vendor = startVendor(() => {
    const data = [{ object: "embedding", index: 0, embedding: [1, 2] }]
    return Response.json({ object: "list", model: "up", data, usage: { prompt_tokens: 1 } })
  })
  gateway = await startGateway({
    providers: { router: provider(vendor.url, "openrouter"), own: provider(vendor.url, "vllm") },
    models: {
      "router/vectors": at("embedding", "router"),
      "router/voice": at("speech", "router"),
      "both/vectors": at("embedding", "router", "own"),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const PATH = "/v1/embeddings"

const REFUSED: readonly [place: string, fields: object, error: object][] = [
  ["models[0]", { models: ["acme/dear"] }, { status: 404, code: "model_not_found" }],
  ["provider.order[0]", { provider: { order: ["No"] } }, { status: 400, code: "invalid_value" }],
  ["service_tier", { service_tier: "priority" }, { status: 400, code: "feature_not_priced" }],
]

for (const [place, fields, refusal] of REFUSED) {
  test(`${place} of what is no chat is refused`, async () => {
    const caller = await gateway.caller("1")
    const requests: [string, object][] = [
      [PATH, { model: "router/vectors", input: "Hi" }],
      ["/v1/audio/speech", { model: "router/voice", input: "Hi", voice: "a" }],
    ]
    for (const [path, body] of requests) {
      const error = await errorOf(await caller.post(path, { ...body, ...fields }))
      expect(error).toMatchObject({ ...refusal, param: place })
    }
    expect(vendor.bodies).toHaveLength(0)
    expect(await creditsOf(caller)).toMatchObject({ balance: "1", held: "0" })
  })
}

test("goes where no one bills it, and plain fields anywhere", async () => {
  const caller = await gateway.caller("1")
  const body = { input: "Hi", service_tier: "priority" }
  const own = await caller.post(PATH, { ...body, model: "both/vectors" })
  expect(own.headers.get("x-tollgate-provider")).toBe("own")
  const plain = await caller.post(PATH, { model: "router/vectors", input: "Hi", truncate: "END" })
  expect(plain.status).toBe(200)
  expect(vendor.bodies.at(-1)).toMatchObject({ truncate: "END" })
})
