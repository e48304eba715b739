import { afterAll, beforeAll, expect, test } from "bun:test"
import { simulated, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway({
    models: {
      "sim/chat": simulated(),
      "sim/embed": simulated({ kind: "embedding" }),
      "sim/speak": { kind: "speech", price: { character: "1" } },
      "sim/draw": { kind: "image", price: { image: "1" } },
    },
  })
  caller = await gateway.caller("1")
})

afterAll(() => gateway[Symbol.asyncDispose]())

async function listed(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch(gateway.url + path, {
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
  })
  const body = (await response.json()) as { data?: { id: string }[]; models?: { name: string }[] }
  expect(response.status).toBe(200)
  return body.data?.map(({ id }) => id) ?? body.models?.map(({ name }) => name) ?? []
}

test("the model list contains the models of a requested kind", async () => {
  expect(await listed("/v1/models?kind=chat")).toEqual(["sim/chat", "sim/echo"])
  expect(await listed("/v1beta/models?kind=embedding")).toEqual(["sim/embed"])
  expect(await listed("/v1/models?kind=rerank")).toEqual([])
})

test("the model list contains all models if no kind is requested", async () => {
  expect(await listed("/v1/models?kind=")).toEqual(await listed("/v1/models"))
})

test("the model list of a requested kind is available in Google's and Anthropic's formats", async () => {
  const google = { "x-goog-api-key": caller.key }
  expect(await listed("/v1beta/models?kind=image", google)).toEqual(["models/sim/draw"])
  const anthropic = { "anthropic-version": "2023-06-01" }
  expect(await listed("/v1/models?kind=chat", anthropic)).toEqual(["sim/chat", "sim/echo"])
})

test("the model list rejects an unknown kind and names the known kinds", async () => {
  const response = await caller.get("/v1/models?kind=video")
  const { error } = (await response.json()) as { error: { message: string; param: string } }
  expect([response.status, error.param]).toEqual([400, "kind"])
  expect(error.message).toBe(
    "'kind' must be one of chat, embedding, rerank, image, speech, transcription, moderation.",
  )
})

test("the model list at the path that Open WebUI uses contains speech models", async () => {
  const response = await caller.get("/v1/audio/models")
  expect(await response.json()).toEqual({ models: [{ id: "sim/speak", name: "sim/speak" }] })
})

test("the OpenAPI document describes the parameter for the model kind", async () => {
  const response = await fetch(`${gateway.url}/openapi.json`)
  const { paths } = (await response.json()) as {
    paths: Record<string, { get: { parameters: { name: string; in: string }[] } }>
  }
  expect(paths["/v1/models"]?.get.parameters).toMatchObject([{ name: "kind", in: "query" }])
})
