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
import { until } from "../../support/until.ts"
import { HELLO, nothingHeld, receiptsOf } from "../../relay/support.ts"

let gateway: TestGateway

beforeAll(async () => {
  const audio = audioModels()
  gateway = await startGateway({
    ...audio,
    providersAt: (url) => ({ ...audio.providersAt?.(url), cohere: provider(url, "cohere") }),
    models: {
      ...audio.models,
      "sim/echo": simulated(),
      "sim/text-embedding-3-small": { kind: "embedding", price: { input: "1" } },
      "sim/dall-e-2": { kind: "image", price: { image: "40000" } },
      "openai/gpt-image-1": { kind: "image", price: { input: "5", output: "40" } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const MESSAGES = { model: "sim/echo", messages: HELLO }
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] }
const DRAFTS = { model: "openai/gpt-image-1", prompt: "a barn", stream: true, partial_images: 1 }
const SPEECH = { model: "sim/tts-1", voice: "alloy", input: "Hello there" }
const SPOKEN_EVENTS = {
  ...SPEECH,
  model: "openai/gpt-4o-mini-tts",
  stream_format: "sse",
}

type Fields = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>

function formOf(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, new File([value], name === "file" ? "a.wav" : "a.png"))
  }
  return form
}

interface Case {
  readonly path: string
  readonly body: object
  /** Matches the end of a complete response. */
  readonly end: RegExp
}

const EMBEDDED = { model: "sim/text-embedding-3-small", input: ["one", "two"] }
const GOOGLE = "/v1beta/models/sim/echo"
const SOUND = wave(2)

const CASES: readonly Case[] = [
  { path: "/v1/chat/completions", body: MESSAGES, end: /\}$/ },
  { path: "/v1/chat/completions", body: { ...MESSAGES, stream: true }, end: /\[DONE\]\n\n$/ },
  { path: "/v1/messages", body: { ...MESSAGES, max_tokens: 20 }, end: /\}$/ },
  {
    path: "/v1/messages",
    body: { ...MESSAGES, max_tokens: 20, stream: true },
    end: /"message_stop"\}\n\n$/,
  },
  { path: "/v1/responses", body: { model: "sim/echo", input: "Hello" }, end: /\}$/ },
  {
    path: "/v1/responses",
    body: { model: "sim/echo", input: "Hello", stream: true },
    end: /response\.completed[^\n]*\n\n$/,
  },
  { path: `${GOOGLE}:generateContent`, body: CONTENTS, end: /\}$/ },
  { path: `${GOOGLE}:streamGenerateContent?alt=sse`, body: CONTENTS, end: /usageMetadata.*\n\n$/ },
  { path: `${GOOGLE}:streamGenerateContent`, body: CONTENTS, end: /\]$/ },
  { path: "/v1/embeddings", body: EMBEDDED, end: /\}$/ },
  { path: "/v1/images/generations", body: DRAFTS, end: /image_generation\.completed.*\n\n$/ },
  { path: "/v1/audio/speech", body: SPEECH, end: /./ },
  { path: "/v1/audio/speech", body: SPOKEN_EVENTS, end: /speech\.audio\.done.*\n\n$/ },
  {
    path: "/v1/audio/transcriptions",
    body: formOf({ model: "openai/gpt-4o-transcribe", file: SOUND, stream: "true" }),
    end: /transcript\.text\.done.*\n\n$/,
  },
  {
    path: "/v1/audio/transcriptions",
    body: formOf({ model: "sim/whisper-1", file: SOUND }),
    end: /\}$/,
  },
  {
    path: "/v1/images/edits",
    body: formOf({
      model: "openai/gpt-image-1",
      prompt: "a hat",
      image: png(64, 64, { colour: 2 }),
      mask: png(64, 64),
    }),
    end: /\}$/,
  },
]

function ask(
  caller: TestCaller,
  { path, body }: Case,
  key: string | undefined,
  signal?: AbortSignal,
): Promise<Response> {
  const isForm = body instanceof FormData
  return fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${caller.key}`,
      ...(key !== undefined && { "idempotency-key": key }),
      ...(!isForm && { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
    keepalive: false,
    ...(signal && { signal }),
  })
}

/** Reads the given number of bytes of a response, and then closes its connection. */
async function leaveAfter(
  caller: TestCaller,
  sent: Case,
  key: string,
  bytes: number,
): Promise<void> {
  const connection = new AbortController()
  const calls = gateway.simulator.requests.length
  const response = ask(caller, sent, key, connection.signal)
  response.catch(() => {})
  if (bytes === 0) await until(() => gateway.simulator.requests.length > calls)
  else {
    const reader = (await response).body?.getReader()
    for (let got = 0; got < bytes;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done || !value) break
      got += value.byteLength
    }
  }
  connection.abort()
}

for (const sent of CASES) {
  const isStreamed = "stream" in sent.body || sent.path.includes("stream")
  const name = `${sent.path}${isStreamed ? " streamed" : ""} ${sent.body === SPOKEN_EVENTS ? "in events" : ""}`
  test(`${name}: a retry after a disconnection returns the full response and is charged once`, async () => {
    const caller = await gateway.caller("100")
    const whole = await (await ask(caller, sent, undefined)).bytes()
    expect(Buffer.from(whole).toString("latin1")).toMatch(sent.end)
    for (const part of [0, 0.01, 0.5, 1]) {
      const charges = receiptsOf(gateway, caller).length
      const calls = gateway.simulator.requests.length
      const key = `cut at ${part}`
      await leaveAfter(caller, sent, key, Math.ceil(whole.byteLength * part))
      const retry = await ask(caller, sent, key)
      expect([part, retry.status]).toEqual([part, 200])
      const text = Buffer.from(await retry.bytes()).toString("latin1")
      expect(text).toMatch(sent.end)
      expect(text).not.toContain('"error_type"')
      const again = await ask(caller, sent, key)
      expect(Buffer.from(await again.bytes()).toString("latin1")).toBe(text)
      await nothingHeld(caller)
      expect(receiptsOf(gateway, caller).length - charges).toBe(1)
      expect(gateway.simulator.requests.length - calls).toBe(1)
    }
  })
}
