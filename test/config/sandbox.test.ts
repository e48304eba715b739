import { expect, test } from "bun:test"
import { withSandbox } from "../../src/config/sandbox.ts"
import { load } from "./harness.ts"

const URL = "http://127.0.0.1:9999"

test("the sandbox configures the simulator in each dialect, with prices", () => {
  const { providers, models } = withSandbox(load("").settings, URL)
  const chat = Object.entries(models).filter(([, { kind }]) => kind === "chat")
  const called = chat.map(([id, { price, deployments }]) => {
    expect([id, price?.input, price?.output]).toEqual([id, "0.15", "0.60"])
    const provider = deployments?.[0]?.provider ?? "sandbox"
    return [id, providers[provider]?.vendor, providers[provider]?.baseUrl]
  })
  expect(called.filter(([id]) => !id?.includes("fault"))).toEqual([
    ["sandbox/echo", "openai-compatible", `${URL}/v1`],
    ["sandbox/gpt", "openai", `${URL}/v1`],
    ["sandbox/claude", "anthropic", URL],
    ["sandbox/gemini", "google", URL],
    ["sandbox/command", "cohere", URL],
    ["sandbox/nova", "bedrock", URL],
  ])
  expect(called.filter(([id]) => id?.includes("fault"))).toHaveLength(7)
  expect(providers["sandbox-gpt"]?.dialects).toEqual(["openai-responses"])
})

test("the sandbox configures the simulator for all operations, with prices in their units", () => {
  const { models } = withSandbox(load("").settings, URL)
  expect(models["sandbox/embed"]).toMatchObject({ kind: "embedding", price: { input: "0.02" } })
  expect(models["sandbox/rerank"]).toMatchObject({ kind: "rerank", price: { search: "2000" } })
})

test("in the sandbox, only Bedrock's provider signs requests, and no provider lists known models", () => {
  const { providers } = withSandbox(load("").settings, URL)
  for (const [id, { apiKey, accessKeyId, knownModels, origin }] of Object.entries(providers)) {
    expect([id, apiKey === undefined]).toEqual([id, id === "sandbox-nova"])
    expect(accessKeyId !== undefined).toBe(id === "sandbox-nova")
    expect([knownModels, origin]).toEqual([false, "sandbox"])
  }
})

test("the sandbox model of Bedrock has the name of a model that supports tools", () => {
  const { models } = withSandbox(load("").settings, URL)
  const [deployment] = models["sandbox/nova"]?.deployments ?? []
  expect(deployment?.model).toStartWith("amazon.nova-")
})

test("the operator's configuration takes precedence over the sandbox, field by field", () => {
  const { settings } = load(
    "providers: { a: { vendor: openai } }\nmodels: { sandbox/gpt: { multiplier: 2 } }",
  )
  const { providers, models } = withSandbox(settings, URL)
  expect(providers.a?.vendor).toBe("openai")
  expect(models["sandbox/gpt"]).toMatchObject({
    multiplier: "2",
    price: { input: "0.15" },
    deployments: [{ provider: "sandbox-gpt" }],
  })
})
