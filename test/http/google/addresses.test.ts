import { ApiError, GoogleGenAI } from "@google/genai"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

const BODY = { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] }
const ECHO = "/v1beta/models/sim/echo:generateContent"

beforeAll(async () => {
  gateway = await startGateway()
  caller = await gateway.caller()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

function ask(path: string, key: string | undefined = caller.key, method = "POST") {
  return fetch(gateway.url + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key !== undefined && { "x-goog-api-key": key }),
    },
    ...(method === "POST" && { body: JSON.stringify(BODY) }),
  })
}

describe("variants of Google's paths", () => {
  test.each([
    `${ECHO}/`,
    "/v1alpha/models/sim/echo:generateContent",
    "/v1beta1/models/sim/echo:generateContent",
    "/v1beta/v1beta/models/sim/echo:generateContent",
    "/v1/v1beta/models/sim/echo:generateContent",
    "//v1beta//models/sim/echo:generateContent",
  ])("lead to Google's endpoints despite a common mistake: %s", async (path) => {
    const response = await ask(path)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ modelVersion: "sim/echo" })
  })

  test.each(["v1alpha", "v1beta", "v1"])(
    "lead to Google's endpoints in its client for %s",
    async (apiVersion) => {
      const httpOptions = { baseUrl: gateway.url, apiVersion }
      const client = new GoogleGenAI({ apiKey: caller.key, httpOptions })
      const { text } = await client.models.generateContent({ model: "sim/echo", contents: "Hello" })
      expect(text).toBe("Hello")
      const stream = await client.models.generateContentStream({
        model: "sim/echo",
        contents: "One",
      })
      const chunks: string[] = []
      for await (const chunk of stream) chunks.push(chunk.text ?? "")
      expect(chunks.join("")).toBe("One")
      const listed: unknown[] = []
      for await (const { name } of await client.models.list()) listed.push(name)
      expect(listed).toContain("models/sim/echo")
    },
  )

  test("can lead to Google's endpoints in OpenAI's format", async () => {
    const response = await caller.post("/v1beta/openai/chat/completions", {
      model: "sim/echo",
      messages: [{ role: "user", content: "Hello" }],
    })
    expect(response.status).toBe(200)
  })
})

describe("unsupported Google operations", () => {
  test.each([
    ["POST", "/v1beta/tunedModels/mine:generateContent"],
    ["POST", "/v1beta/cachedContents"],
    ["GET", "/v1beta/files"],
    ["POST", "/upload/v1beta/files"],
    ["POST", "/v1beta/interactions"],
  ])("return an error in Google's form: %s %s", async (method, path) => {
    for (const key of [caller.key, ""]) {
      const response = await ask(path, key, method)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        error: { code: 404, status: "NOT_FOUND", error_type: "not_found" },
      })
    }
  })

  test("make Google's client throw its own error class", async () => {
    const client = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gateway.url } })
    const failure = await client.caches.list().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect((failure as ApiError).status).toBe(404)
  })
})

describe("keys for Google's endpoints", () => {
  test("can be in the URL even if the key header is empty", async () => {
    expect((await ask(`${ECHO}?key=${caller.key}`, "")).status).toBe(200)
  })

  test("never appear in an error, even if the parameter name is percent-encoded", async () => {
    for (const name of ["key", "%6Bey", "access_token", "k%65y"]) {
      const response = await ask(`${ECHO}?${name}=${caller.key}`, "wrong")
      expect(await response.text()).not.toContain(caller.key)
    }
    expect(JSON.stringify(gateway.heard)).not.toContain(caller.key)
    expect(JSON.stringify(gateway.simulator.requests)).not.toContain(caller.key)
  })
})

test.each(["alt=sse", "$alt=sse", "%24alt=sse", "alt=SSE"])(
  "the query ?%s requests a stream of events",
  async (query) => {
    const path = `/v1beta/models/sim/echo:streamGenerateContent?${query}`
    const response = await ask(path)
    expect(response.headers.get("content-type")).toStartWith("text/event-stream")
    expect(await response.text()).toStartWith("data: {")
  },
)
