import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { AUDIT } from "../../store/audit-record.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { KeyHasher } from "../../../src/keys/secret.ts"
import { wave } from "../../support/audio.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { KeyIssuer, type KeyInput } from "../../support/key-issuer.ts"
import { startVendor, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, type ErrorBody, HELLO, receiptOf } from "../support.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway
let caller: TestCaller

function of(kind: ModelSettings["kind"], price: ModelSettings["price"]): ModelSettings {
  return { kind: kind ?? "chat", ...(price && { price }) }
}

/** Chat models of vendors with each dialect, by the vendor's name for them. */
const CHAT_NAMES: Readonly<Record<string, string>> = {
  "gpt-5.4": "openai/gpt-5.4",
  "gpt-5.4-2026-03-05": "openai/gpt-5.4",
  "claude-sonnet-4-5": "anthropic/claude-sonnet-4-5",
  "claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5",
  "claude-sonnet-4-5-latest": "anthropic/claude-sonnet-4-5",
  "gemini-2.5-flash": "google/gemini-2.5-flash",
  "command-a-03-2025": "cohere/command-a-03-2025",
  "amazon.nova-pro-v1:0": "bedrock/amazon.nova-pro-v1:0",
  echo: "sim/echo",
  usual: "sim/echo",
}

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({
      openai: { ...provider(`${url}/v1`, "openai"), dialects: ["openai-responses"] },
      anthropic: provider(url, "anthropic"),
      google: provider(url, "google"),
      cohere: provider(url, "cohere"),
      bedrock: { ...provider(url, "bedrock"), apiKey: "bedrock", region: "us-east-1" },
    }),
    models: {
      "openai/gpt-5.4": simulated(),
      "anthropic/claude-sonnet-4-5": simulated(),
      "google/gemini-2.5-flash": simulated(),
      "cohere/command-a-03-2025": simulated(),
      "bedrock/amazon.nova-pro-v1:0": simulated(),
      "openai/text-embedding-3-small": of("embedding", { input: "1" }),
      "cohere/rerank-v3.5": of("rerank", { search: "2000" }),
      "openai/dall-e-3": of("image", { image: "40000" }),
      "openai/dall-e-2": of("image", { image: "20000" }),
      "openai/tts-1": of("speech", { character: "15" }),
      "openai/whisper-1": of("transcription", { second: "100" }),
    },
    settings: { aliases: { usual: "sim/echo", drawn: "openai/dall-e-3" } },
  })
  caller = await gateway.caller("100")
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** Returns the models that a response names, in any format. */
function modelsIn(text: string): string[] {
  const found = text.matchAll(/"(?:model|modelVersion)"\s*:\s*"([^"]+)"/g)
  return [...new Set([...found].map(([, model]) => model ?? ""))].filter((one) => one !== "model")
}

function lastAsked(): string {
  return decodeURIComponent(JSON.stringify(gateway.simulator.requests.at(-1)))
}

/** Creates another key of an account. Its requests have an idempotency key. */
async function keyBeside(
  { url, store, settings }: TestGateway,
  { account }: TestCaller,
  order: Partial<KeyInput>,
): Promise<(body: object, key: string) => Promise<Response>> {
  const issuer = new KeyIssuer(
    store,
    new KeyHasher(new SecretFolder(settings.data).readOrCreate("key-pepper")),
  )
  const { secret } = await issuer.issue({ account: account.id, name: "beside", ...order })
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
  await until(async () => (await fetch(`${url}/v1/models`, { headers })).ok)
  return (body, key) =>
    fetch(url + CHAT, {
      method: "POST",
      headers: { ...headers, "idempotency-key": key },
      body: JSON.stringify(body),
    })
}

async function expectNamed(response: Response, name: string, id: string): Promise<string> {
  const text = await response.text()
  expect([name, response.status, text.slice(0, 300)]).toEqual([name, 200, text.slice(0, 300)])
  expect([name, modelsIn(text)]).toEqual([name, [name]])
  const receipt = (await receiptOf(caller, response)) as unknown as JsonObject
  expect(receipt).toMatchObject({ model: id, requested_model: name })
  return text
}

describe("a vendor's model name in a chat request", () => {
  const bodies: readonly (readonly [string, (model: string, stream: boolean) => JsonObject])[] = [
    [CHAT, (model, stream) => ({ model, stream, messages: HELLO })],
    ["/v1/messages", (model, stream) => ({ model, stream, max_tokens: 50, messages: HELLO })],
    ["/v1/responses", (model, stream) => ({ model, stream, input: "Hello there", store: false })],
  ]

  for (const [path, bodyOf] of bodies) {
    test(`appears in the response at ${path}, whole and streamed`, async () => {
      for (const [name, id] of Object.entries(CHAT_NAMES)) {
        for (const stream of [false, true]) {
          const response = await caller.post(path, bodyOf(name, stream))
          await expectNamed(response, name, id)
          // The vendor receives its own name for the model.
          const [, own = ""] = /^[^/]+\/(.*)$/.exec(id) ?? []
          expect([name, lastAsked().includes(own)]).toEqual([name, true])
          if (name !== own && !own.startsWith(name) && !name.startsWith(own)) {
            expect([name, lastAsked().includes(`"${name}"`)]).toEqual([name, false])
          }
        }
      }
    })
  }

  test("can be part of paths of Google's API", async () => {
    for (const [name, id] of Object.entries(CHAT_NAMES)) {
      for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
        const path = `/v1beta/models/${name}:${method}`
        const body = { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] }
        await expectNamed(await caller.post(path, body), name, id)
      }
    }
    const counted = await caller.post("/v1beta/models/gemini-2.5-flash:countTokens", {
      contents: [{ role: "user", parts: [{ text: "Hello there" }] }],
    })
    expect(counted.status).toBe(200)
  })

  test("can be part of paths of Azure's API", async () => {
    const path = "/openai/deployments/gpt-5.4/chat/completions?api-version=2024-10-21"
    await expectNamed(await caller.post(path, { messages: HELLO }), "gpt-5.4", "openai/gpt-5.4")
  })

  test("can be used for token counts and estimates", async () => {
    const counted = await caller.post("/v1/messages/count_tokens", {
      model: "claude-sonnet-4-5-20250929",
      messages: HELLO,
    })
    expect(counted.status).toBe(200)
    const request = { model: "gpt-5.4", messages: HELLO }
    const estimated = await caller.post("/v1/estimate", { path: CHAT, body: request })
    const text = await estimated.text()
    expect([estimated.status, text]).toEqual([200, expect.stringContaining("openai/gpt-5.4")])
  })
})

test("the receipt of a request that used a model id has no alias", async () => {
  const response = await caller.post(CHAT, { model: "sim/echo", messages: HELLO })
  await response.text()
  expect(await receiptOf(caller, response)).not.toHaveProperty("requested_model")
})

describe("aliases in operations other than chat", () => {
  const JSON_BODIES: readonly (readonly [string, string, string, JsonObject])[] = [
    ["/v1/embeddings", "text-embedding-3-small", "openai/text-embedding-3-small", { input: "a" }],
    ["/v1/rerank", "rerank-v3.5", "cohere/rerank-v3.5", { query: "a", documents: ["a", "b"] }],
    ["/v1/images/generations", "dall-e-3", "openai/dall-e-3", { prompt: "a cat" }],
    ["/v1/images/generations", "drawn", "openai/dall-e-3", { prompt: "a cat" }],
    ["/v1/audio/speech", "tts-1", "openai/tts-1", { input: "Hello", voice: "alloy" }],
  ]

  for (const [path, name, id, body] of JSON_BODIES) {
    test(`can be a vendor's model name at ${path}: ${name}`, async () => {
      const response = await caller.post(path, { model: name, ...body })
      const text = await response.text()
      expect([response.status, response.ok ? "" : text]).toEqual([200, ""])
      const named = path === "/v1/audio/speech" ? [] : modelsIn(text)
      expect(named.filter((one) => one !== name)).toEqual([])
      expect(await receiptOf(caller, response)).toMatchObject({ model: id } as object)
    })
  }

  test("can be a vendor's model name in a form", async () => {
    const data = new FormData()
    data.append("model", "whisper-1")
    data.append("file", new File([wave(1)], "speech.wav"))
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}` },
      body: data,
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.stringContaining("text")])
    expect(await receiptOf(caller, response)).toMatchObject({
      model: "openai/whisper-1",
      requested_model: "whisper-1",
    } as object)
  })
})

describe("the list of models", () => {
  test("has no aliases, but a single model can be retrieved by any of its names", async () => {
    const list = (await (await caller.get("/v1/models")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).not.toContain("usual")
    for (const name of ["usual", "gpt-5.4-2026-03-05", "sim/echo"]) {
      const one = (await (await caller.get(`/v1/models/${name}`)).json()) as object
      expect(one).toMatchObject({ id: name, object: "model" })
    }
    const headers = { authorization: `Bearer ${caller.key}`, "anthropic-version": "2023-06-01" }
    const anthropic = await fetch(`${gateway.url}/v1/models/claude-sonnet-4-5`, { headers })
    expect(await anthropic.json()).toMatchObject({ type: "model", id: "claude-sonnet-4-5" })
    const google = await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash`, {
      headers: { "x-goog-api-key": caller.key },
    })
    expect(await google.json()).toMatchObject({ name: "models/gemini-2.5-flash" })
  })
})

describe("a key with a list of models", () => {
  test("has no access to other models under any name", async () => {
    const aliases = { mine: "openai/gpt-5.4", cheap: "sim/echo" }
    const narrow = await gateway.caller("1", { models: ["sim/*", "mine", "gpt-5.4"], aliases })
    for (const model of ["openai/gpt-5.4", "gpt-5.4", "gpt-5.4-2026-03-05", "mine"]) {
      for (const path of [CHAT, "/v1/messages"]) {
        const response = await narrow.post(path, { model, max_tokens: 5, messages: HELLO })
        const { error } = (await response.json()) as ErrorBody
        expect([model, response.status, error.error_type]).toEqual([
          model,
          403,
          "model_not_allowed",
        ])
        expect(error.message).toContain(`\`${model}\``)
      }
      expect((await narrow.get(`/v1/models/${model}`)).status).toBe(404)
    }
    const good = await narrow.post(CHAT, { model: "cheap", messages: HELLO })
    expect([good.status, modelsIn(await good.text())]).toEqual([200, ["cheap"]])
    // Other accounts cannot use the aliases of this account.
    expect((await caller.post(CHAT, { model: "cheap", messages: HELLO })).status).toBe(404)
  })

  test("does not get a stored response of a model that is not in its list", async () => {
    const aliases = { mine: "openai/gpt-5.4" }
    const wide = await gateway.caller("1", { aliases })
    const headers = { "idempotency-key": "once" }
    const body = { model: "mine", messages: HELLO }
    const first = await (await wide.post(CHAT, body, headers)).text()
    expect(modelsIn(first)).toEqual(["mine"])
    expect(await (await wide.post(CHAT, body, headers)).text()).toBe(first)
    await gateway.store.keys.update(wide.keyId, { models: ["sim/*", "mine"] }, AUDIT)
    await until(async () => (await wide.get("/v1/models/mine")).status === 404)
    const again = await wide.post(CHAT, body, headers)
    expect(again.status).toBe(404)
  })

  test("does not get another key's response if its alias refers to a different model", async () => {
    const wide = await gateway.caller("1", { aliases: { mine: "openai/gpt-5.4" } })
    const aliases = { mine: "sim/echo", "gpt-5.4": "sim/echo" }
    const narrow = await keyBeside(gateway, wide, { models: ["sim/*"], aliases })
    for (const model of ["mine", "gpt-5.4"]) {
      const body = { model, messages: HELLO }
      const first = await wide.post(CHAT, body, { "idempotency-key": model })
      expect([first.status, modelsIn(await first.text())]).toEqual([200, [model]])
      const others = await narrow(body, model)
      expect([model, others.status]).toEqual([model, 404])
      const own = await narrow(body, `${model} of its own`)
      expect([own.status, modelsIn(await own.text())]).toEqual([200, [model]])
      const again = await narrow(body, `${model} of its own`)
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
      // A key without a list of models may receive every response of its account.
      const shared = await wide.post(CHAT, body, { "idempotency-key": `${model} of its own` })
      expect(shared.status).toBe(200)
    }
  })
})

test("a restricted key that repeats a running request of another key is asked to wait", async () => {
  const open = Promise.withResolvers<void>()
  using slow = startVendor(async () => {
    await open.promise
    return Response.json(wholeResponse())
  })
  await using own = await startGateway({
    providers: { slow: provider(slow.url) },
    models: { "slow/model": simulated() },
  })
  const wide = await own.caller("1", { aliases: { mine: "slow/model" } })
  const narrow = await keyBeside(own, wide, { models: ["slow/*"], aliases: { mine: "slow/model" } })
  const body = { model: "mine", messages: HELLO }
  const headers = { "idempotency-key": "running" }
  const first = wide.post(CHAT, body, headers)
  await until(() => slow.bodies.length === 1)
  const early = await narrow(body, "running")
  expect(early.status).toBe(409)
  expect(await early.text()).toContain("its model is not determined yet")
  open.resolve()
  expect((await first).status).toBe(200)
  const late = await narrow(body, "running")
  expect([late.status, late.headers.get("idempotent-replayed")]).toEqual([200, "true"])
  expect(slow.bodies.length).toBe(1)
})
