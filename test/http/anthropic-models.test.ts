import { afterAll, beforeAll, expect, test } from "bun:test"
import Anthropic from "@anthropic-ai/sdk"
import { simulated, startGateway, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let client: Anthropic

beforeAll(async () => {
  const names = Array.from({ length: 24 }, (_, index) => `sim/m${String(index).padStart(2, "0")}`)
  gateway = await startGateway({
    models: Object.fromEntries(names.map((name) => [name, simulated()])),
  })
  client = await clientOf({})
})

afterAll(() => gateway[Symbol.asyncDispose]())

async function clientOf(order: { models?: readonly string[] }): Promise<Anthropic> {
  const { key } = await gateway.caller("1", order)
  return new Anthropic({ apiKey: key, baseURL: gateway.url, maxRetries: 0 })
}

/** Returns the error status of a call. */
function rejectionOf(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(
    call.then(
      () => undefined,
      (error: { status?: unknown }) => error.status,
    ),
  )
}

test("Anthropic's client reads the model list in Anthropic's format, page by page", async () => {
  const first = await client.models.list()
  expect(first.data).toHaveLength(20)
  expect(first).toMatchObject({ has_more: true, first_id: "sim/echo", last_id: "sim/m18" })
  const ids: string[] = []
  for await (const model of client.models.list({ limit: 10 })) ids.push(model.id)
  expect(ids).toHaveLength(25)
  expect(ids).toEqual(ids.toSorted())
})

test("Anthropic's client reads the model list backwards, page by page", async () => {
  const page = await client.models.list({ before_id: "sim/m03", limit: 2 })
  expect(page.data.map(({ id }) => id)).toEqual(["sim/m01", "sim/m02"])
  expect(page.has_more).toBe(true)
  const whole = await client.models.list({ before_id: "sim/m01" })
  expect(whole).toMatchObject({ has_more: false, first_id: "sim/echo", last_id: "sim/m00" })
})

test("Anthropic's client retrieves one model", async () => {
  const model = await client.models.retrieve("sim/echo")
  expect(model).toEqual({
    type: "model",
    id: "sim/echo",
    display_name: "sim/echo",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    capabilities: null,
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    max_input_tokens: 100_000,
    max_tokens: 1_000,
    retires_at: null,
  })
})

test("the model list in Anthropic's format contains the models of the key, without retired models", async () => {
  const limited = await clientOf({ models: ["sim/m0*"] })
  expect((await limited.models.list()).data).toHaveLength(10)
  expect((await limited.models.list({ lifecycle: ["retired"] })).data).toEqual([])
  expect((await limited.models.list({ lifecycle: ["active"] })).data).toHaveLength(10)
  expect(await rejectionOf(limited.models.retrieve("sim/echo"))).toBe(404)
})

test("a rejected model list request gets an error in Anthropic's format", async () => {
  const unknown = await client.models.retrieve("sim/none").catch((error: unknown) => error)
  expect(unknown).toMatchObject({ status: 404, error: { error: { type: "not_found_error" } } })
  const stranger = new Anthropic({ apiKey: "sk-none", baseURL: gateway.url, maxRetries: 0 })
  const rejected = await stranger.models.list().catch((error: unknown) => error)
  expect(rejected).toMatchObject({
    status: 401,
    error: { error: { type: "authentication_error" } },
  })
})

test("the model list rejects an invalid cursor or page size", async () => {
  expect(await rejectionOf(client.models.list({ after_id: "sim/none" }))).toBe(400)
  for (const limit of [0, 1001, 1.5]) {
    expect(await rejectionOf(client.models.list({ limit }))).toBe(400)
  }
})

test("clients of other vendors get the model list in OpenAI's format", async () => {
  const caller = await gateway.caller("1")
  for (const path of ["/v1/models", "/v1beta/models"]) {
    expect(await (await caller.get(path)).json()).toMatchObject({ object: "list" })
  }
})
