import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

const CONTENTS = [{ role: "user", parts: [{ text: "Hello there" }] }]
const ECHO = "/v1beta/models/sim/echo"

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ google: provider(url, "google") }),
    models: {
      "google/gemini-3-flash": simulated(),
    },
  })
  caller = await gateway.caller()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

function ask(path: string, body: JsonObject, headers: Record<string, string> = {}) {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
}

function asCaller(path: string, body: JsonObject = { contents: CONTENTS }) {
  return ask(path, body, { "x-goog-api-key": caller.key })
}

describe("credentials for generateContent", () => {
  test("can be in the URL and never appear in responses or logs", async () => {
    const good = await ask(`${ECHO}:generateContent?key=${caller.key}`, { contents: CONTENTS })
    expect(good.status).toBe(200)
    const receipt = await caller.get(`/v1/receipts/${good.headers.get("x-request-id")}`)
    expect(await receipt.text()).not.toContain(caller.key)
    const listed = await fetch(`${gateway.url}/v1beta/models?key=${caller.key}`)
    expect(await listed.json()).toHaveProperty("models")
    const wrong = `${caller.key}x`
    for (const path of [`${ECHO}:generateContent`, `${ECHO}:predict`, "/v1beta/nothing"]) {
      const bad = await ask(`${path}?key=${wrong}`, { contents: CONTENTS })
      expect(bad.status).toBeGreaterThanOrEqual(401)
      expect(await bad.text()).not.toContain(caller.key)
    }
    expect(JSON.stringify(gateway.heard)).not.toContain(caller.key)
    expect(JSON.stringify(gateway.simulator.requests)).not.toContain(caller.key)
  })

  test("cause an error in Google's format if they are missing", async () => {
    const response = await ask(`${ECHO}:generateContent`, { contents: CONTENTS })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: { code: 401, status: "UNAUTHENTICATED", error_type: "missing_api_key" },
    })
  })
})

describe("paths of generateContent", () => {
  test.each([ECHO, "/v1/models/sim/echo", "/v1beta/models/sim%2Fecho"])(
    "can contain the model as %s",
    async (place) => {
      const response = await asCaller(`${place}:generateContent`)
      expect(await response.json()).toMatchObject({
        candidates: [{ content: { role: "model", parts: [{ text: "Hello there" }] } }],
        modelVersion: "sim/echo",
      })
    },
  )

  test("return 404 in Google's format if the operation is unknown", async () => {
    const response = await asCaller(`${ECHO}:predict`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { status: "NOT_FOUND" } })
  })
})

describe("a generateContent stream", () => {
  test("has the form of a JSON array without alt=sse, and its charge precedes its last byte", async () => {
    const response = await asCaller(`${ECHO}:streamGenerateContent`)
    expect(response.headers.get("content-type")).toStartWith("application/json")
    const chunks = (await response.json()) as JsonObject[]
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { cost: expect.any(Number) },
    })
    const receipt = await caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    expect(await receipt.json()).toMatchObject({
      status: "settled",
      endpoint: "/v1beta/models/{model}:streamGenerateContent",
    })
  })

  test("contains the gateway's model name and the cost", async () => {
    const path = "/v1beta/models/google/gemini-3-flash:streamGenerateContent?alt=sse"
    const response = await asCaller(path, { contents: CONTENTS, safety_settings: [] })
    const chunks = (await response.text())
      .split("\n\n")
      .filter((text) => text !== "")
      .map((text) => JSON.parse(text.replace(/^data: /, "")) as JsonObject)
    for (const chunk of chunks) expect(chunk.modelVersion).toBe("google/gemini-3-flash")
    expect(chunks.at(-1)).toMatchObject({ usageMetadata: { cost: expect.any(Number) } })
    expect(gateway.simulator.requests.at(-1)?.body).toEqual({
      contents: CONTENTS,
      safetySettings: [],
    })
  })
})

describe("a generateContent request", () => {
  const path = "/v1beta/models/google/gemini-3-flash:generateContent"

  test.each([
    ["a class of service", { serviceTier: "priority" }, { service_tier: "priority" }],
    ["a tool", { tools: [{ googleMaps: {} }] }, { tools: [{ google_maps: {} }] }],
  ])(
    "holds credits for Google's extra charges, in camel case and snake case: %s",
    async (_, camel, snake) => {
      const plain = await maxOf({})
      expect(await maxOf(camel)).toBeGreaterThan(plain)
      // The underscore adds one byte to the prompt, for which the hold covers eleven readings.
      expect(await maxOf(snake)).toBeCloseTo(await maxOf(camel), 4)
    },
  )

  test("cannot use content stored for other accounts, in camel case or in snake case", async () => {
    for (const name of ["cachedContent", "cached_content"]) {
      const response = await asCaller(path, { contents: CONTENTS, [name]: "cachedContents/other" })
      expect([400, 404]).toContain(response.status)
    }
    const fileData = { file_uri: "https://generativelanguage.googleapis.com/v1beta/files/other" }
    const parts = [{ file_data: fileData }]
    const response = await asCaller(path, { contents: [{ role: "user", parts }] })
    expect(response.status).toBe(404)
  })

  test("causes one charge if it is sent again with its idempotency key", async () => {
    const before = await caller.balance()
    const headers = { "x-goog-api-key": caller.key, "idempotency-key": "google-1" }
    const again = () =>
      ask(`${ECHO}:streamGenerateContent`, { contents: CONTENTS }, headers).then(
        async (response) => ({
          text: await response.text(),
          isReplayed: response.headers.get("idempotent-replayed"),
        }),
      )
    const first = await again()
    const charged = before - (await caller.balance())
    expect(charged).toBeGreaterThan(0n)
    const second = await again()
    expect(second).toEqual({ text: first.text, isReplayed: "true" })
    expect(before - (await caller.balance())).toBe(charged)
  })

  test("can be estimated if the path contains the model", async () => {
    const response = await caller.post("/v1/estimate", {
      path: `${ECHO}:generateContent`,
      body: { contents: CONTENTS, generationConfig: { maxOutputTokens: 5 } },
    })
    expect(await response.json()).toMatchObject({
      is_covered: true,
      parts: [{ model: "sim/echo", lines: [{ name: "input" }, { name: "output", quantity: 5 }] }],
    })
  })
})

/** Returns the maximum cost of a request to Gemini in credits. */
async function maxOf(options: object): Promise<number> {
  const path = "/v1beta/models/google/gemini-3-flash:generateContent"
  const response = await caller.post("/v1/estimate", {
    path,
    body: { contents: CONTENTS, ...options },
  })
  const { most } = (await response.json()) as { readonly most: string }
  return Number(most)
}
