import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { receiptOf } from "../support.ts"

const TEXTS = { model: "cohere/embed", input: "rain" }
const MESSAGE = {
  model: "sim/echo",
  max_tokens: 20,
  messages: [{ role: "user", content: "rain" }],
}
const PIECES = 100

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ sim: provider(`${url}/v1`), cohere: provider(url, "cohere") }),
    models: { "sim/echo": simulated(), "cohere/embed": { ...simulated(), kind: "embedding" } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

/** The maximum number of fields that a request can have. */
const MANY = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f_${index}`, 1]))

const REQUESTS: readonly (readonly [string, string, object])[] = [
  ["/v1/messages", "a whole answer", MESSAGE],
  ["/v1/messages", "a stream", { ...MESSAGE, stream: true }],
  ["/v1/embeddings", "an embedding", TEXTS],
]

describe.each(REQUESTS)("the report of lost fields at %s, %s", (path, _, request) => {
  test.each([
    ["with a line break", { "a\nset-cookie: b": 1 }],
    ["with commas and colons", { "a:dropped, b": 1 }],
    ["in another alphabet", { поле: 1 }],
    ["without a letter", { "": 1 }],
    ["as long as a text", { ["x".repeat(200_000)]: 1 }],
  ])("omits the name of a lost field %s", async (_name, fields) => {
    const caller = await gateway.caller("100")
    const response = await caller.post(path, { ...request, ...fields, plain_field: 1 })
    expect(response.status).toBe(200)
    await response.text()
    const lost = "plain_field:dropped, other_fields:dropped"
    expect(response.headers.get("x-tollgate-losses")).toBe(lost)
    expect(await receiptOf(caller, response)).toMatchObject({
      losses: [
        { name: "plain_field", effect: "dropped" },
        { name: "other_fields", effect: "dropped" },
      ],
    })
  })

  test("names only some of many lost fields, and takes little time", async () => {
    const caller = await gateway.caller("100")
    const response = await caller.post(path, { ...request, ...MANY })
    expect(response.status).toBe(200)
    await response.text()
    const losses = response.headers.get("x-tollgate-losses")?.split(", ") ?? []
    expect(losses.length).toBeLessThan(PIECES)
    expect(losses[0]).toBe("f_0:dropped")
    expect(losses.at(-1)).toBe("other_fields:dropped")
  })

  test("contains the same names as the error for a strict caller", async () => {
    const caller = await gateway.caller("100")
    const headers = { "x-tollgate-strict": "true" }
    const response = await caller.post(path, { ...request, поле: 1, plain_field: 1 }, headers)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("request: plain_field, other_fields. Leave that out")
  })
})
