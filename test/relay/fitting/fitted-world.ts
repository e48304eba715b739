import type { JsonObject } from "../../../src/canon/json.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"

/** A vendor's response with text, calls, or both. */
export interface Script {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[]
  /** The deltas of a streamed chat, if they differ from the response. */
  readonly deltas?: readonly object[]
}

/** A request that a vendor received. */
export interface Sent {
  readonly path: string
  readonly body: JsonObject
}

/** The content that a caller reads in a response of any format. */
export interface ReadResponse {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly finish: string
}

export interface Outcome extends ReadResponse {
  readonly sent: Sent
  readonly losses: string
}

/** The contents of a request, which each format expresses in its own way. */
export interface Asked {
  readonly schema?: object
  readonly tools?: readonly { readonly name: string; readonly strict?: boolean }[]
  readonly parameters?: object
}

export const FORMATS = ["chat", "messages", "responses", "gemini"] as const
export type Format = (typeof FORMATS)[number]

/** Models by id, with the vendor and the vendor's name for the model. */
export type Models = Readonly<Record<string, readonly [vendor: string, model: string]>>

/** A gateway with vendors whose responses the test sets. They answer in the format of the request. */
export class FittedWorld implements AsyncDisposable {
  script: Script = { text: "Hi" }
  readonly #vendor: Bun.Server<undefined>
  readonly #gateway: TestGateway
  readonly #caller: TestCaller
  #sent: Sent[] = []

  private constructor(vendor: Bun.Server<undefined>, gateway: TestGateway, caller: TestCaller) {
    this.#vendor = vendor
    this.#gateway = gateway
    this.#caller = caller
  }

  static async start(models: Models): Promise<FittedWorld> {
    const world: { current?: FittedWorld } = {}
    const vendor = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname: path } = new URL(request.url)
        const body = (await request.json()) as JsonObject
        world.current?.hear({ path, body })
        return answer(path, body, world.current?.script ?? {})
      },
    })
    const root = `http://127.0.0.1:${vendor.port}`
    const vendors = new Set(Object.values(models).map(([name]) => name))
    const gateway = await startGateway({
      providers: Object.fromEntries(
        [...vendors].map((name) => [
          name,
          provider(name === "anthropic" ? root : `${root}/v1`, name),
        ]),
      ),
      models: Object.fromEntries(
        Object.entries(models).map(([id, [name, model]]) => [
          id,
          simulated({ maxOutput: 1000, deployments: [{ provider: name, model, weight: 1 }] }),
        ]),
      ),
    })
    world.current = new FittedWorld(vendor, gateway, await gateway.caller("100"))
    return world.current
  }

  hear(sent: Sent): void {
    this.#sent.push(sent)
  }

  /** Sends a request in one of the formats. */
  async ask(
    format: Format,
    model: string,
    asked: Asked,
    options: { readonly stream: boolean; readonly more?: object },
  ): Promise<Outcome> {
    const { path, body } = requestOf(format, model, asked, options.stream)
    return this.post(path, { ...body, ...options.more })
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Outcome> {
    this.#sent = []
    const response = await this.#caller.post(path, body, headers)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    const [sent = { path: "", body: {} }] = this.#sent
    const losses = response.headers.get("x-tollgate-losses") ?? ""
    return { ...readAnyResponse(path, text), sent, losses }
  }

  request(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return this.#caller.post(path, body, headers)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]()
    await this.#vendor.stop(true)
  }
}

function requestOf(format: Format, model: string, asked: Asked, stream: boolean) {
  const { schema, tools, parameters = { type: "object", properties: {} } } = asked
  const text = "Go on."
  switch (format) {
    case "chat":
      return {
        path: "/v1/chat/completions",
        body: {
          model,
          stream,
          messages: [{ role: "user", content: text }],
          ...(schema && {
            response_format: {
              type: "json_schema",
              json_schema: { name: "r", strict: true, schema },
            },
          }),
          ...(tools && {
            tools: tools.map((tool) => ({ type: "function", function: { ...tool, parameters } })),
          }),
        },
      }
    case "messages":
      return {
        path: "/v1/messages",
        body: {
          model,
          stream,
          max_tokens: 500,
          messages: [{ role: "user", content: text }],
          ...(schema && { output_config: { format: { type: "json_schema", schema } } }),
          ...(tools && { tools: tools.map((tool) => ({ ...tool, input_schema: parameters })) }),
        },
      }
    case "responses":
      return {
        path: "/v1/responses",
        body: {
          model,
          stream,
          input: text,
          ...(schema && {
            text: { format: { type: "json_schema", name: "r", strict: true, schema } },
          }),
          ...(tools && {
            tools: tools.map((tool) => ({ type: "function", ...tool, parameters })),
          }),
        },
      }
    case "gemini": {
      const call = stream ? "streamGenerateContent?alt=sse" : "generateContent"
      return {
        path: `/v1beta/models/${model}:${call}`,
        body: {
          contents: [{ role: "user", parts: [{ text }] }],
          ...(schema && {
            generationConfig: {
              responseMimeType: "application/json",
              responseJsonSchema: schema,
            },
          }),
          ...(tools && {
            tools: [
              {
                functionDeclarations: tools.map(({ name }) => ({
                  name,
                  parametersJsonSchema: parameters,
                })),
              },
            ],
          }),
        },
      }
    }
  }
}

/** Returns the requested format of the response, in either of OpenAI's formats. */
export function formatIn(body: JsonObject): JsonObject | undefined {
  const text = body.text as JsonObject | undefined
  const format = (body.response_format ?? text?.format) as JsonObject | undefined
  const { json_schema: declared, ...rest } = format ?? {}
  return format === undefined ? undefined : { ...rest, ...(declared as JsonObject | undefined) }
}

type Frame = readonly [event: string | undefined, data: object]

function answer(path: string, body: JsonObject, script: Script): Response {
  if (path.endsWith("/messages")) {
    return body.stream === true ? sse(messageFrames(script)) : Response.json(message(script))
  }
  if (path.endsWith("/responses")) {
    const whole = response(script)
    return body.stream === true
      ? sse([["response.completed", { type: "response.completed", response: whole }]])
      : Response.json(whole)
  }
  return body.stream === true
    ? sse(chatFrames(script), "data: [DONE]\n\n")
    : Response.json(completion(script))
}

function sse(frames: readonly Frame[], end = ""): Response {
  const text = frames.map(
    ([event, data]) =>
      `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
  )
  return new Response(text.join("") + end, { headers: { "content-type": "text/event-stream" } })
}

/** Splits a text into pieces of three characters, so that tests do not depend on the positions of cuts. */
function pieces(text: string): readonly string[] {
  return text.match(/[^]{1,3}/g) ?? []
}

const USAGE = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 }

function completion({ text, calls = [] }: Script): object {
  const called = calls.map(({ name, arguments: written }, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name, arguments: written },
  }))
  const said = { role: "assistant", content: text ?? null }
  const isCall = called.length > 0
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: isCall ? { ...said, tool_calls: called } : said,
        finish_reason: isCall ? "tool_calls" : "stop",
      },
    ],
    usage: USAGE,
  }
}

function chatFrames({ text = "", calls = [], deltas = [] }: Script): Frame[] {
  const chunk = (delta: object, finish: string | null = null): Frame => [
    undefined,
    {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  ]
  const called = calls.flatMap(({ name, arguments: written }, index) => [
    chunk({
      tool_calls: [{ index, id: `c${index}`, type: "function", function: { name, arguments: "" } }],
    }),
    ...pieces(written).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(text).map((content) => chunk({ content })),
    ...called,
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, calls.length + deltas.length > 0 ? "tool_calls" : "stop"),
    [
      undefined,
      {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: USAGE,
      },
    ],
  ]
}

function message({ text, calls = [] }: Script): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map(({ name, arguments: written }, index) => ({
        type: "tool_use",
        id: `t${index}`,
        name,
        input: JSON.parse(written) as object,
      })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
  }
}

function messageFrames({ text, calls = [] }: Script): Frame[] {
  const frames: Frame[] = []
  const push = (type: string, data: object): void => void frames.push([type, { type, ...data }])
  const usage = { input_tokens: 3, output_tokens: 1 }
  push("message_start", {
    message: { ...message({}), stop_reason: null, usage },
  })
  let index = 0
  const block = (content_block: object, deltas: readonly object[]): void => {
    push("content_block_start", { index, content_block })
    for (const delta of deltas) push("content_block_delta", { index, delta })
    push("content_block_stop", { index })
    index++
  }
  if (text !== undefined) {
    const deltas = pieces(text).map((piece) => ({ type: "text_delta", text: piece }))
    block({ type: "text", text: "" }, deltas)
  }
  for (const [number, { name, arguments: written }] of calls.entries()) {
    const deltas = pieces(written).map((piece) => ({
      type: "input_json_delta",
      partial_json: piece,
    }))
    block({ type: "tool_use", id: `t${number}`, name, input: {} }, deltas)
  }
  const reason = calls.length > 0 ? "tool_use" : "end_turn"
  push("message_delta", {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  })
  push("message_stop", {})
  return frames
}

function response({ text, calls = [] }: Script): object {
  const content = [{ type: "output_text", text, annotations: [] }]
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [
      ...(text === undefined
        ? []
        : [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }]),
      ...calls.map(({ name, arguments: written }, index) => ({
        type: "function_call",
        id: `fc_${index}`,
        call_id: `c${index}`,
        name,
        arguments: written,
        status: "completed",
      })),
    ],
    usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
  }
}

/** Reads a response of any format, streamed or not. */
function readAnyResponse(path: string, body: string): ReadResponse {
  const isStream = body.startsWith("event:") || body.startsWith("data:")
  const all = isStream ? framesOf(body) : [JSON.parse(body) as Loose]
  if (path.startsWith("/v1beta")) return readGemini(all)
  if (path.startsWith("/v1/chat")) return readChat(all)
  if (path.startsWith("/v1/responses")) {
    return readResponse(all.findLast(({ response: whole }) => whole)?.response ?? all[0])
  }
  return isStream ? readMessageFrames(all) : readMessage(all[0])
}

// oxlint-disable-next-line typescript/no-explicit-any -- responses of four formats, as they come
type Loose = any

function framesOf(body: string): Loose[] {
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as Loose)
}

function readChat(all: readonly Loose[]): ReadResponse {
  let text = ""
  let finish = ""
  const calls: { name: string; arguments: string }[] = []
  for (const { choices = [] } of all) {
    for (const { message: whole, delta = whole, finish_reason: reason } of choices) {
      text += delta.content ?? ""
      finish = reason ?? finish
      for (const [place, { index = place, function: called }] of (
        delta.tool_calls ?? []
      ).entries()) {
        const call = (calls[index] ??= { name: called.name, arguments: "" })
        call.arguments += called.arguments ?? ""
      }
    }
  }
  return { text, finish, calls: calls.map(parsed) }
}

function parsed(call: { readonly name: string; readonly arguments: string }) {
  return { name: call.name, arguments: JSON.parse(call.arguments) as unknown }
}

function readMessage({ content, stop_reason: finish }: Loose): ReadResponse {
  return {
    text: content.flatMap((block: Loose) => block.text ?? []).join(""),
    calls: content
      .filter(({ type }: Loose) => type === "tool_use")
      .map(({ name, input }: Loose) => ({ name, arguments: input })),
    finish,
  }
}

function readMessageFrames(all: readonly Loose[]): ReadResponse {
  let text = ""
  let finish = ""
  const calls: { name: string; arguments: string }[] = []
  for (const { type, content_block: block, delta } of all) {
    if (block?.type === "tool_use") calls.push({ name: block.name, arguments: "" })
    text += delta?.text ?? ""
    const last = calls.at(-1)
    if (last !== undefined) last.arguments += delta?.partial_json ?? ""
    if (type === "message_delta") finish = delta.stop_reason
  }
  return { text, finish, calls: calls.map(parsed) }
}

function readResponse({ output, status }: Loose): ReadResponse {
  return {
    text: output
      .flatMap(({ content }: Loose) => content ?? [])
      .map((part: Loose) => part.text)
      .join(""),
    calls: output.filter(({ type }: Loose) => type === "function_call").map(parsed),
    finish: status,
  }
}

function readGemini(all: readonly Loose[]): ReadResponse {
  const candidates = all.flatMap(({ candidates: some }) => some ?? [])
  const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
  return {
    text: parts.map((part) => part.text ?? "").join(""),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: call.name, arguments: call.args }],
    ),
    finish: candidates.at(-1)?.finishReason ?? "",
  }
}
