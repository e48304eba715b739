import { deflateSync } from "node:zlib"
import { wave } from "../support/audio.ts"
import { png } from "../support/png.ts"
import {
  ARGUMENTS,
  DOCUMENT,
  DRAWN,
  FILE_NAME,
  IMAGE,
  PROMPT,
  SOUND,
  SPOKEN,
  SYSTEM,
  TOOL_RESULT,
} from "./planted.ts"
import type { Output } from "./search.ts"
import { FAILINGS } from "./vendor.ts"

type Fields = Readonly<Record<string, string | File>>
/** A request to one of the endpoints. */
type Case = readonly [path: string, body: object | FormData | string]

/**
 * Maximum number of calls before the account changes. 15 failures per account per second are stored, and some calls are
 * still running when the account changes.
 */
const MAX_REQUESTS_PER_ACCOUNT = 10

/** A caller that stores every response. */
export class Caller {
  readonly responses: Output[] = []
  readonly statuses: number[] = []
  /** Ids of the requests. */
  readonly requests: string[] = []
  readonly #createKey: () => Promise<string>
  readonly #url: string
  #key = ""
  #sent = 0

  /** @param createKey creates a key for a new account. */
  constructor(createKey: () => Promise<string>, url: string) {
    this.#createKey = createKey
    this.#url = url
  }

  async send([path, body]: Case, more: Record<string, string> = {}): Promise<Response> {
    if (this.#sent++ % MAX_REQUESTS_PER_ACCOUNT === 0) this.#key = await this.#createKey()
    const isForm = body instanceof FormData
    const response = await fetch(this.#url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(!isForm && { "content-type": "application/json" }),
        ...more,
      },
      body: isForm || typeof body === "string" ? body : JSON.stringify(body),
    })
    const bytes = await response
      .clone()
      .bytes()
      .catch(() => new Uint8Array())
    const headers = Buffer.from(JSON.stringify([...response.headers]))
    this.responses.push({ name: `POST ${path}`, bytes: Buffer.concat([headers, bytes]) })
    this.statuses.push(response.status)
    this.requests.push(response.headers.get("x-request-id") ?? "")
    return response
  }
}

const sampleImage = (options: object = {}) => {
  const bytes = Buffer.from(png(64, 64, { ...options, chunks: [textChunk(IMAGE)] }))
  return new File([bytes], `${FILE_NAME}.png`, { type: "image/png" })
}

function textChunk(text: string): Buffer {
  const data = Buffer.from(`tEXtComment\0${text}`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length - 4)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(Bun.hash.crc32(data))
  return Buffer.concat([length, data, sum])
}

function sound(): File {
  const bytes = Buffer.from(wave(2))
  bytes.write(SOUND, 1_000)
  return new File([bytes], `${FILE_NAME}.wav`, { type: "audio/wav" })
}

function form(fields: Fields): FormData {
  const built = new FormData()
  for (const [name, value] of Object.entries(fields)) built.append(name, value)
  return built
}

const TOOLS = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }]

function conversation(): object[] {
  const data = Buffer.from(png(8, 8, { chunks: [textChunk(IMAGE)] })).toString("base64")
  const call = {
    id: "call_0",
    type: "function",
    function: { name: "look", arguments: JSON.stringify({ at: ARGUMENTS }) },
  }
  return [
    { role: "system", content: SYSTEM },
    {
      role: "user",
      content: [
        { type: "text", text: PROMPT },
        { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
      ],
    },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_0", content: TOOL_RESULT },
    { role: "user", content: PROMPT },
  ]
}

/** Returns a request to each endpoint. The models belong to vendors that answer in the given way. */
function casesOf(way: string): Case[] {
  const said = [{ role: "user", content: PROMPT }]
  const chats = [false, true].flatMap((stream): Case[] => [
    [
      "/v1/chat/completions",
      { model: `${way}/echo`, stream, tools: TOOLS, messages: conversation() },
    ],
    ["/v1/chat/completions", { model: `${way}-anthropic/echo`, stream, messages: said }],
    [
      "/v1/messages",
      { model: `${way}-messages/echo`, stream, system: SYSTEM, max_tokens: 50, messages: said },
    ],
    [
      "/v1/responses",
      { model: `${way}-responses/echo`, stream, instructions: SYSTEM, input: PROMPT },
    ],
    [
      `/v1beta/models/${way}-google/echo:${stream ? "streamGenerateContent" : "generateContent"}`,
      { contents: [{ role: "user", parts: [{ text: PROMPT }] }] },
    ],
    [
      "/v1/audio/speech",
      {
        model: `${way}/tts-1`,
        voice: "alloy",
        input: SPOKEN,
        ...(stream && { stream_format: "sse" }),
      },
    ],
    [
      "/v1/images/generations",
      { model: `${way}/gpt-image-1`, prompt: DRAWN, ...(stream && { stream, partial_images: 1 }) },
    ],
  ])
  return [
    ...chats,
    ["/v1/responses/compact", { model: `${way}-compact/echo`, input: PROMPT }],
    ["/v1/embeddings", { model: `${way}/text-embedding-3-small`, input: [DOCUMENT, PROMPT] }],
    [
      "/v1/rerank",
      { model: `${way}-cohere/rerank-v3.5`, query: PROMPT, documents: [DOCUMENT, "two"] },
    ],
    [
      "/v2/rerank",
      { model: `${way}-cohere/rerank-v3.5`, query: PROMPT, documents: [DOCUMENT, "two"] },
    ],
    ["/v1/moderations", { model: `${way}/moderate`, input: [PROMPT, DOCUMENT] }],
    ["/v1/images/generations", { model: `${way}/dall-e-2`, prompt: DRAWN, size: "256x256" }],
    [
      "/v1/images/edits",
      form({
        model: `${way}/gpt-image-1`,
        prompt: DRAWN,
        image: sampleImage({ colour: 2 }),
        mask: sampleImage(),
      }),
    ],
    [
      "/v1/images/variations",
      form({ model: `${way}/dall-e-2`, image: sampleImage(), size: "256x256" }),
    ],
    [
      "/v1/audio/transcriptions",
      form({ model: `${way}/whisper-1`, prompt: SPOKEN, file: sound() }),
    ],
    ["/v1/audio/translations", form({ model: `${way}/whisper-1`, file: sound() })],
    [
      "/v1/estimate",
      { path: "/v1/chat/completions", body: { model: `${way}/echo`, messages: said } },
    ],
    ["/v1/messages/count_tokens", { model: `${way}-messages/echo`, messages: said }],
  ]
}

/**
 * Sends a request to each endpoint, and expects success.
 * @throws Error at the first failure.
 */
export async function askWell(caller: Caller): Promise<void> {
  for (const [index, one] of casesOf("good").entries()) {
    const response = await caller.send(one, { "idempotency-key": `canary ${index}` })
    if (!response.ok) throw new Error(`${one[0]}: ${response.status} ${await response.text()}`)
  }
  const said = [{ role: "user", content: PROMPT }]
  const response = await caller.send([
    "/v1/chat/completions",
    { model: "scripted/tools", messages: said },
  ])
  if (!response.ok) throw new Error(await response.text())
}

/**
 * Sends a request to each endpoint at vendors with each kind of failure. Each kind is tested separately, because failed
 * requests are retried later.
 */
export async function askOfFailing(caller: Caller): Promise<void> {
  await Promise.all(
    FAILINGS.map(async (way) => {
      for (const one of casesOf(way)) await caller.send(one)
    }),
  )
}

/**
 * Sends invalid requests with contents and secrets in unexpected places.
 * @param secret the caller's key.
 */
export async function askBadly(caller: Caller, secret: string): Promise<void> {
  const said = [{ role: "user", content: PROMPT }]
  const chat = "/v1/chat/completions"
  const bad: readonly Case[] = [
    [chat, { model: secret, messages: said }],
    [chat, { model: `good/${secret}`, messages: said }],
    [`${chat}?key=${secret}`, { model: "good/none", messages: said }],
    [`/v1/${secret}`, { model: "good/echo", messages: said }],
    [
      `/v1beta/models/${secret}:generateContent?key=${secret}`,
      { contents: [{ parts: [{ text: PROMPT }] }] },
    ],
    [chat, `{"model": "good/echo", "messages": "${PROMPT} ${secret}`],
    [chat, `{"api_key": "${secret}", "${PROMPT}": }`],
    [chat, { model: "good/echo", messages: PROMPT }],
    [chat, { model: "good/echo", messages: [{ role: PROMPT, content: secret }] }],
    [chat, { model: "good/echo", messages: said, temperature: PROMPT }],
    [
      chat,
      { model: "good/echo", messages: said, max_tokens: secret, response_format: { type: PROMPT } },
    ],
    [chat, { model: "good/echo", messages: said, tool_choice: PROMPT, tools: PROMPT }],
    [chat, { model: "good/echo", messages: said, [PROMPT]: { [secret]: PROMPT } }],
    ["/v1/responses", { model: "good/echo", input: PROMPT, previous_response_id: secret }],
    [
      "/v1/messages",
      {
        model: "good/echo",
        max_tokens: 5,
        messages: [{ role: "user", content: [{ type: PROMPT }] }],
      },
    ],
    ["/v1/embeddings", { model: "good/text-embedding-3-small", input: { text: DOCUMENT } }],
    [
      "/v1/images/generations",
      { model: "good/dall-e-2", prompt: DRAWN, size: PROMPT, quality: secret },
    ],
    [
      "/v1/audio/speech",
      { model: "good/tts-1", voice: PROMPT, input: SPOKEN, response_format: secret },
    ],
    [
      "/v1/audio/transcriptions",
      form({ model: "good/whisper-1", file: new File([SOUND], `${FILE_NAME}.wav`) }),
    ],
    [
      "/v1/images/variations",
      form({ model: "good/dall-e-2", image: new File([IMAGE], FILE_NAME) }),
    ],
  ]
  for (const one of bad) await caller.send(one)
  const packed = deflateSync(`{"model": "${secret}"`).toString("latin1")
  await caller.send([chat, packed], { "content-encoding": "deflate" })
  for (const wrong of [`${secret}x`, VENDOR_LIKE]) {
    await caller.send([chat, { model: "good/echo", messages: said }], {
      authorization: `Bearer ${wrong}`,
    })
    await caller.send([chat, { model: wrong, messages: said }])
  }
}

/** A key of another service that a caller sends to the gateway by mistake. */
export const VENDOR_LIKE = "sk-proj-canaryOfAnotherService0123456789abcdef"
