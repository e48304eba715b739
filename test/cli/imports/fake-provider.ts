/** A request as the fake provider received it. */
export interface Received {
  readonly path: string
  /** The credential without its authentication scheme. */
  readonly key: string
  readonly model: string
}

/** A server that answers every chat format and model with `hello`. */
export interface FakeProvider extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** The response of each format, by the end of the path. */
const RESPONSES: readonly (readonly [RegExp, (model: string) => object])[] = [
  [
    /\/chat\/completions$/,
    (model) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [
        { index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" },
      ],
      usage: USAGE,
    }),
  ],
  [
    /\/v1\/messages$/,
    (model) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: "hello" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  [
    /:generateContent$/,
    (model) => ({
      candidates: [
        { content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP", index: 0 },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: model,
    }),
  ],
  [
    /\/converse$/,
    () => ({
      output: { message: { role: "assistant", content: [{ text: "hello" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      metrics: { latencyMs: 1 },
    }),
  ],
  [
    /\/v2\/chat$/,
    () => ({
      id: "1",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: "hello" }] },
      usage: {
        billed_units: { input_tokens: 1, output_tokens: 1 },
        tokens: { input_tokens: 1, output_tokens: 1 },
      },
    }),
  ],
]

export function startFakeProvider(): FakeProvider {
  const received: Received[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = decodeURIComponent(new URL(request.url).pathname)
      if (request.method === "GET") return Response.json({ data: [], models: [] })
      if (path === "/token") return Response.json({ access_token: "token", expires_in: 3600 })
      const body = (await request.json()) as { readonly model?: string }
      const model =
        body.model ?? /\/models?\/(.+?)(:generateContent|\/converse)$/.exec(path)?.[1] ?? ""
      const response = RESPONSES.find(([pattern]) => pattern.test(path))?.[1]
      if (!response) return Response.json({ error: { message: path } }, { status: 404 })
      received.push({ path, key: keyOf(request.headers), model })
      return Response.json(response(model))
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

function keyOf(headers: Headers): string {
  const own = headers.get("api-key") ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key")
  const authorization = headers.get("authorization") ?? ""
  return own ?? authorization.replace(/^Bearer /, "").replace(/^AWS4-.*Credential=([^/]+).*$/, "$1")
}
