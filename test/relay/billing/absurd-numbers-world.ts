import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { wave } from "../../support/audio.ts"
import { provider, simulated } from "../../support/gateway.ts"

/**
 * Unusual numbers as JSON text: negative numbers, fractions, numbers beyond 2^53, 64 bits and a double, and other
 * types.
 */
export const NUMBERS = [
  "1",
  "-1",
  "0.5",
  "1e15",
  "9007199254740993",
  "9223372036854775807",
  "18446744073709551615",
  "1e308",
  "-1e308",
  "1e400",
  '"18446744073709551615"',
  '"-1"',
  '"NaN"',
  "null",
  "true",
  "[]",
  "{}",
] as const

/** Members with numbers that are positions. Another number would change or remove the response. */
const PLACES: ReadonlySet<string> = new Set([
  "index",
  "output_index",
  "content_index",
  "summary_index",
  "partial_image_index",
  "sequence_number",
])

/** Replaces every number that is a member in a JSON text, and lengthens lists of usage. */
function withNumber(text: string, number: string): string {
  const replaced = text.replace(/"(\w+)":(\s*)-?\d+(\.\d+)?(e[+-]?\d+)?/gi, (all, name: string) =>
    PLACES.has(name) ? all : `"${name}":${number}`,
  )
  const detail = `{"modality":"AUDIO","tokenCount":${number}}`
  const details = Array.from({ length: 500 }, () => detail).join(",")
  return replaced.replace(
    /"usageMetadata":\{/g,
    `"usageMetadata":{"promptTokensDetails":[${details}],`,
  )
}

/** A provider whose responses are normal except for their numbers. */
export class AbsurdProvider implements Disposable {
  number = "1"
  target = ""
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.#response(request),
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async #response(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    for (const name of ["host", "accept-encoding"]) headers.delete(name)
    const body = await request.arrayBuffer()
    const response = await fetch(this.target + pathname + search, {
      method: request.method,
      headers,
      body,
    })
    const type = response.headers.get("content-type") ?? ""
    if (!/json|event-stream/.test(type)) {
      return new Response(await response.arrayBuffer(), { headers: { "content-type": type } })
    }
    const text = withNumber(await response.text(), this.number)
    return new Response(text, { status: response.status, headers: { "content-type": type } })
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

/** Returns the settings of providers at an address, with all formats. */
export function absurdProviders(url: string): Record<string, ProviderSettings> {
  const openai = provider(`${url}/v1`, "openai")
  return {
    chat: provider(`${url}/v1`),
    responses: { ...openai, dialects: ["openai-responses"] },
    openai,
    claude: provider(url, "anthropic"),
    google: provider(url, "google"),
    cohere: provider(url, "cohere"),
    jina: provider(`${url}/v1`, "jina"),
    groq: provider(`${url}/v1`, "groq"),
    mistral: provider(`${url}/v1`, "mistral"),
    deepgram: provider(url, "deepgram"),
    elevenlabs: provider(url, "elevenlabs"),
  }
}

const PRICE = { input: "3", cached_input: "1", cache_write: "4", output: "15" } as const
const BY_TOKEN = { input: "1", audio_input: "3", output: "2", audio_output: "12" } as const

function model(
  at: string,
  name: string,
  kind: NonNullable<ModelSettings["kind"]>,
  price: NonNullable<ModelSettings["price"]>,
): ModelSettings {
  return { kind, price, deployments: [{ provider: at, model: name, weight: 1 }] }
}

const CHATS = {
  chat: "echo",
  responses: "echo",
  claude: "echo",
  google: "echo",
  cohere: "echo",
} as const

export const MODELS: Readonly<Record<string, ModelSettings>> = {
  ...Object.fromEntries(
    Object.entries(CHATS).map(([at, name]) => [
      `absurd/${at}`,
      simulated({ price: PRICE, deployments: [{ provider: at, model: name, weight: 1 }] }),
    ]),
  ),
  "absurd/free": simulated({
    price: { input: "0", output: "0" },
    deployments: [{ provider: "chat", model: "echo", weight: 1 }],
  }),
  "absurd/embed": model("openai", "text-embedding-3-small", "embedding", { input: "1" }),
  "absurd/embed-cohere": model("cohere", "embed-v4.0", "embedding", { input: "1" }),
  "absurd/embed-google": model("google", "gemini-embedding-001", "embedding", { input: "1" }),
  "absurd/rerank": model("jina", "jina-reranker-v2", "rerank", { input: "1" }),
  "absurd/rerank-cohere": model("cohere", "rerank-v3.5", "rerank", { search: "2000" }),
  "absurd/image": model("openai", "gpt-image-1", "image", { input: "5", output: "40" }),
  "absurd/image-google": model("google", "gemini-2.5-flash-image", "image", {
    input: "1",
    output: "30",
  }),
  "absurd/speech": model("openai", "gpt-4o-mini-tts", "speech", BY_TOKEN),
  "absurd/speech-google": model("google", "gemini-tts", "speech", BY_TOKEN),
  "absurd/transcribe": model("openai", "whisper-1", "transcription", { second: "100" }),
  "absurd/transcribe-tokens": model("openai", "gpt-4o-transcribe", "transcription", BY_TOKEN),
  "absurd/transcribe-groq": model("groq", "whisper-large-v3", "transcription", { second: "100" }),
  "absurd/transcribe-mistral": model("mistral", "voxtral-mini", "transcription", { second: "100" }),
  "absurd/transcribe-deepgram": model("deepgram", "nova-3", "transcription", { second: "100" }),
  "absurd/transcribe-elevenlabs": model("elevenlabs", "scribe_v2", "transcription", {
    second: "100",
  }),
}

/** A request that a caller sends. */
export interface AbsurdCall {
  readonly path: string
  readonly body: object
}

const PROMPT = "Hello there, gateway"
const MESSAGES = [{ role: "user", content: PROMPT }]

function chatCalls(id: string): AbsurdCall[] {
  const gemini = { contents: [{ role: "user", parts: [{ text: PROMPT }] }] }
  const whole = [false, true].flatMap((stream) => [
    { path: "/v1/chat/completions", body: { model: id, messages: MESSAGES, stream } },
    { path: "/v1/messages", body: { model: id, messages: MESSAGES, max_tokens: 100, stream } },
    { path: "/v1/responses", body: { model: id, input: PROMPT, stream } },
  ])
  return [
    ...whole,
    { path: `/v1beta/models/${id}:generateContent`, body: gemini },
    { path: `/v1beta/models/${id}:streamGenerateContent?alt=sse`, body: gemini },
  ]
}

function namesOf(kind: ModelSettings["kind"]): string[] {
  return Object.keys(MODELS).filter((id) => MODELS[id]?.kind === kind)
}

const VOICES: Readonly<Record<string, string>> = {
  "absurd/speech": "alloy",
  "absurd/speech-google": "Kore",
}

/** All calls with a JSON body. */
export const CALLS: readonly AbsurdCall[] = [
  ...namesOf("chat").flatMap(chatCalls),
  ...namesOf("embedding").map((model) => ({ path: "/v1/embeddings", body: { model, input: "a" } })),
  ...namesOf("rerank").map((model) => ({
    path: "/v1/rerank",
    body: { model, query: "a", documents: ["a", "b"] },
  })),
  ...namesOf("image").map((model) => ({
    path: "/v1/images/generations",
    body: { model, prompt: "an owl" },
  })),
  {
    path: "/v1/images/generations",
    body: { model: "absurd/image", prompt: "an owl", stream: true },
  },
  ...namesOf("speech").flatMap((model) => [
    {
      path: "/v1/audio/speech",
      body: { model, input: "Hello", voice: VOICES[model], response_format: "wav" },
    },
    ...(model === "absurd/speech"
      ? [
          {
            path: "/v1/audio/speech",
            body: { model, input: "Hello", voice: "alloy", stream_format: "sse" },
          },
        ]
      : []),
  ]),
]

/** Returns forms for transcriptions, streamed and not streamed. */
export function transcriptionForms(): FormData[] {
  return namesOf("transcription").flatMap((model) =>
    ["json", "verbose_json", "stream"].map((format) => {
      const form = new FormData()
      form.append("model", model)
      if (format === "stream") form.append("stream", "true")
      else form.append("response_format", format)
      form.append("file", new File([wave(1)], "speech.wav"))
      return form
    }),
  )
}
