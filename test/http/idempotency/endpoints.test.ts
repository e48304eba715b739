import { afterAll, beforeAll, expect, test } from "bun:test"
import { audioModels, wave } from "../../support/audio.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { png } from "../../support/png.ts"
import { HELLO, receiptsOf } from "../../relay/support.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  const audio = audioModels()
  gateway = await startGateway({
    ...audio,
    providersAt: (url) => ({
      ...audio.providersAt?.(url),
      cohere: provider(url, "cohere"),
    }),
    models: {
      ...audio.models,
      "sim/echo": simulated(),
      "sim/text-embedding-3-small": { kind: "embedding", price: { input: "1" } },
      "sim/moderate": { kind: "moderation", price: { input: "0" } },
      "cohere/rerank-v3.5": { kind: "rerank", price: { search: "2000" } },
      "sim/dall-e-2": { kind: "image", price: { image: "40000" } },
      "openai/gpt-image-1": { kind: "image", price: { input: "5", output: "40" } },
    },
  })
  caller = await gateway.caller("1000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

type Fields = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>

/** Returns a form, which a client creates again for each attempt. */
function formOf(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, new File([value], `${name}.bin`, { type: typeOf(name) }))
  }
  return form
}

function typeOf(name: string): string {
  return name !== "file" ? "image/png" : "audio/wav"
}

const IMAGE = png(64, 64, { colour: 2 })
const MASK = png(64, 64)
const SOUND = wave(2)
const LONG_SOUND = wave(60)
const CHAT = { model: "sim/echo", messages: HELLO }
const RESPONSE = { model: "sim/echo", input: "Hello there" }

const JSON_CASES: readonly (readonly [path: string, body: object])[] = [
  ["/v1/chat/completions", CHAT],
  ["/v1/chat/completions", { ...CHAT, stream: true }],
  ["/v1/messages", { ...CHAT, max_tokens: 20 }],
  ["/v1/messages", { ...CHAT, max_tokens: 20, stream: true }],
  ["/v1/responses", RESPONSE],
  ["/v1/responses", { ...RESPONSE, stream: true }],
  ["/v1/responses/compact", RESPONSE],
  ["/v1/embeddings", { model: "sim/text-embedding-3-small", input: ["one", "two"] }],
  ["/v1/rerank", { model: "cohere/rerank-v3.5", query: "one", documents: ["one", "two"] }],
  ["/v2/rerank", { model: "cohere/rerank-v3.5", query: "one", documents: ["one", "two"] }],
  [
    "/v1/chat/moderations",
    { model: "sim/moderate", input: [{ role: "user", content: "I will attack you" }] },
  ],
  ["/v1/moderations", { model: "sim/moderate", input: "I will attack you" }],
  ["/v1/images/generations", { model: "sim/dall-e-2", prompt: "a barn", size: "256x256" }],
  [
    "/v1/images/generations",
    { model: "openai/gpt-image-1", prompt: "a barn", stream: true, partial_images: 1 },
  ],
  ["/v1/audio/speech", { model: "sim/tts-1", voice: "alloy", input: "Hello there" }],
]

const FORM_CASES: readonly (readonly [path: string, fields: Fields])[] = [
  ["/v1/images/edits", { model: "openai/gpt-image-1", prompt: "a hat", image: IMAGE, mask: MASK }],
  ["/v1/images/variations", { model: "sim/dall-e-2", image: IMAGE, size: "256x256" }],
  ["/v1/audio/transcriptions", { model: "sim/whisper-1", file: SOUND }],
  ["/v1/audio/transcriptions", { model: "sim/whisper-1", file: LONG_SOUND }],
  ["/v1/audio/transcriptions", { model: "openai/gpt-4o-transcribe", file: SOUND, stream: "true" }],
  ["/v1/audio/translations", { model: "sim/whisper-1", file: SOUND }],
]

/** Sends the same request twice and a request with another body once, and counts the effects. */
async function expectOnce(
  path: string,
  key: string,
  send: (key: string) => Promise<Response>,
  sendOther: (key: string) => Promise<Response>,
): Promise<void> {
  const calls = gateway.simulator.requests.length
  const charges = receiptsOf(gateway, caller).length
  const first = await send(key)
  const bytes = Buffer.from(await first.arrayBuffer())
  expect([path, first.status, first.status === 200 ? "" : bytes.toString()]).toEqual([
    path,
    200,
    "",
  ])
  const callsOnce = gateway.simulator.requests.length - calls
  const chargesOnce = receiptsOf(gateway, caller).length - charges
  expect(callsOnce).toBeGreaterThan(0)
  expect(chargesOnce).toBe(1)
  const second = await send(key)
  expect(Buffer.from(await second.arrayBuffer()).equals(bytes)).toBe(true)
  expect(second.headers.get("idempotent-replayed")).toBe("true")
  for (const name of ["x-request-id", "content-type", "x-tollgate-cost", "x-tollgate-provider"]) {
    expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)])
  }
  const other = await sendOther(key)
  expect(other.status).toBe(422)
  await other.body?.cancel()
  expect(gateway.simulator.requests.length - calls).toBe(callsOnce)
  expect(receiptsOf(gateway, caller).length - charges).toBe(chargesOnce)
}

for (const [index, [path, body]] of JSON_CASES.entries()) {
  test(`${path} ${"stream" in body ? "streamed " : ""}runs once for an idempotency key`, async () => {
    const post = (sent: object) => (key: string) =>
      caller.post(path, sent, { "idempotency-key": key })
    await expectOnce(path, `json ${index}`, post(body), post({ ...body, user: "somebody else" }))
  })
}

for (const [index, [path, fields]] of FORM_CASES.entries()) {
  const size = Object.values(fields).find((value) => typeof value !== "string")?.length
  test(`${path} ${"stream" in fields ? "streamed " : ""}with ${size} bytes runs once for an idempotency key`, async () => {
    const post = (sent: Fields) => (key: string) =>
      fetch(gateway.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${caller.key}`, "idempotency-key": key },
        body: formOf(sent),
      })
    const [name = ""] = Object.entries(fields).find(([, value]) => typeof value !== "string") ?? []
    const changed = Uint8Array.from(fields[name] as Uint8Array<ArrayBuffer>)
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    await expectOnce(path, `form ${index}`, post(fields), post({ ...fields, [name]: changed }))
  })
}
