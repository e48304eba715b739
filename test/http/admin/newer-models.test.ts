import { afterAll, beforeAll, expect, test } from "bun:test"
import type { NewerModel } from "tollgate-contract/catalog.ts"
import { provider, type TestGateway } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged({
    providersAt: (url) => ({
      anthropic: { ...provider(url, "anthropic"), knownModels: true },
      mistral: { ...provider(`${url}/v1`, "mistral"), knownModels: true },
    }),
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const newer = async (): Promise<NewerModel[]> =>
  (await asked(gateway, "GET", "/models/newer"))["data"] as NewerModel[]

const question = (model: string) => ({
  model,
  max_tokens: 5,
  messages: [{ role: "user", content: "Hi" }],
})

test("a model newer than the price list has its family's price, and can be enabled by one setting", async () => {
  expect(await newer()).toEqual([])
  const caller = await gateway.caller()
  for (const model of ["mistral-large-9", "mistral/mistral-large-9", "mistral-large-1", "none/x"]) {
    const rejected = await caller.post("/v1/chat/completions", question(model))
    const { message } = await errorOf(rejected)
    expect([model, rejected.status]).toEqual([model, 404])
    expect([model, message.includes("'unknown_models: family'")]).toEqual([
      model,
      model.endsWith("large-9"),
    ])
  }

  await until(async () => (await newer())[0]?.requests === 2)
  const [offer, ...others] = await newer()
  expect(others).toEqual([])
  expect(offer).toEqual({
    id: "mistral/mistral-large-9",
    kind: "chat",
    requests: 2,
    last_at: expect.any(String),
    price: expect.objectContaining({ input: expect.any(String), output: expect.any(String) }),
  })

  await asked(gateway, "PATCH", "/settings", { unknown_models: "family" })
  expect(await newer()).toEqual([])
  const response = await caller.post("/v1/chat/completions", question("mistral-large-9"))
  // The gateway calls the model now. The simulator does not have it.
  expect((await errorOf(response)).message).toContain(
    "provider 'mistral' has no model of that name",
  )
  const asIs = await ask(gateway, "GET", "/settings")
  expect(await asIs.text()).toContain('"value":"family"')
  await asked(gateway, "PATCH", "/settings", { unknown_models: "reject" })
  const rejected = await caller.post("/v1/chat/completions", question("mistral-large-9"))
  expect(rejected.status).toBe(404)
  expect((await errorOf(rejected)).message).not.toContain("unknown_models")
  // The operator has already decided, so the list is empty.
  expect(await newer()).toEqual([])
  await asked(gateway, "PATCH", "/settings", { unknown_models: null })
  expect(await newer()).toHaveLength(1)
})

test("a key that is restricted to single models gets no suggestion of newer models", async () => {
  const caller = await gateway.caller("10", { models: ["mistral/mistral-small-latest"] })
  const rejected = await caller.post("/v1/chat/completions", question("mistral-large-9"))
  expect((await errorOf(rejected)).message).not.toContain("unknown_models")
})

test("an invalid value of unknown_models is rejected", async () => {
  const response = await ask(gateway, "PATCH", "/settings", { unknown_models: "cheap" })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ param: "unknown_models" })
})
