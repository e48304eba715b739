import * as fc from "fast-check"
import type {
  CacheMarker,
  Citation,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "../../src/canon/message.ts"
import type {
  ChatEvent,
  ChatRequest,
  ChatResult,
  Choice,
  FinishReason,
  ReasoningOptions,
} from "../../src/canon/chat.ts"
import type { Extra } from "../../src/canon/extra.ts"
import type { Tool, ToolOrigin } from "../../src/canon/tool.ts"
import type { JsonValue } from "../../src/canon/json.ts"
import { textTool } from "../../src/dialects/shared/text-tool.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"

/** Whatever the canon can say in `openai-chat`, for the laws. */

const text = fc.string({ minLength: 1, unit: "grapheme" })
export const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
/** Members that no dialect knows. */
const unknownName = word.map((name) => `x_${name}`)
const value = fc
  .jsonValue({ maxDepth: 2 })
  .filter((json) => json !== null && json !== "" && !isEmpty(json)) as fc.Arbitrary<JsonValue>
const fields = fc.dictionary(unknownName, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
const extra: fc.Arbitrary<Extra> = fields.map((fields) => ({ dialect: "openai-chat", fields }))
const schema = fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true })

function isEmpty(json: unknown): boolean {
  return typeof json === "object" && json !== null && Object.keys(json).length === 0
}

/** Members that may be absent are absent, not undefined. */
function record<T>(required: fc.Arbitrary<T>, optional: Record<string, fc.Arbitrary<unknown>>) {
  return fc
    .tuple(required, fc.record(optional, { requiredKeys: [], noNullPrototype: true }))
    .map(([left, right]) => ({ ...left, ...right }) as T)
}

const base64 = fc
  .uint8Array({ minLength: 3, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
const webUrl = word.map((name) => `https://host/${name}.png`)

const cache: fc.Arbitrary<CacheMarker> = fc.constantFrom({}, { ttl: "5m" }, { ttl: "1h" })
const textPart: fc.Arbitrary<Part> = record(
  text.map((text) => ({ type: "text", text })),
  { cache, extra },
)
const imagePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      webUrl.map((url) => ({ type: "url" as const, url })),
      base64.map((data) => ({ type: "base64" as const, data, mediaType: "image/png" })),
    )
    .map((source) => ({ type: "image", source })),
  { detail: fc.constantFrom("low", "high"), cache, extra },
)
const audioPart: fc.Arbitrary<Part> = record<Part>(
  base64.map((data) => ({ type: "audio", source: { type: "base64", data }, format: "wav" })),
  { extra },
)
const filePart: fc.Arbitrary<Part> = record<Part>(
  fc
    .oneof(
      word.map((id) => ({ type: "reference" as const, id })),
      webUrl.map((url) => ({ type: "url" as const, url })),
    )
    .map((source) => ({ type: "file", source })),
  { name: word, cache, extra },
)
/** Data without a name is given one. */
const dataPart: fc.Arbitrary<Part> = record<Part>(
  fc.record({ data: base64, name: word }).map(({ data, name }) => {
    const source = { type: "base64", data, mediaType: "application/pdf" } as const
    return { type: "file", source, name }
  }),
  { cache, extra },
)
const vendorPart: fc.Arbitrary<Part> = webUrl.map((url) => ({
  type: "unknown",
  extra: { dialect: "openai-chat", fields: { type: "document_url", document_url: url } },
}))
const content = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart, dataPart, vendorPart), {
  minLength: 1,
  maxLength: 4,
})

const reasoningPart: fc.Arbitrary<ReasoningPart> = fc.oneof(
  record<ReasoningPart>(
    text.map((text) => ({ type: "reasoning", text })),
    { id: word },
  ),
  fc.oneof(text, fc.constant("")).chain((text) => signed({ text })),
  signed({ text: "", isRedacted: true }),
)

function signed(fields: Pick<ReasoningPart, "text" | "isRedacted">): fc.Arbitrary<ReasoningPart> {
  return record<ReasoningPart>(
    fc.uuid().map((signature) => ({
      type: "reasoning",
      ...fields,
      signature,
      signedBy: "openai-chat",
    })),
    { id: word },
  )
}
const refusalPart: fc.Arbitrary<Part> = text.map((text) => ({ type: "refusal", text }))
const toolCall: fc.Arbitrary<ToolCallPart> = record<ToolCallPart>(
  fc.tuple(word, word, schema).map(([id, name, input]) => ({
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify(input),
  })),
  { extra },
)
const otherCall: fc.Arbitrary<Part> = word.map((id) => ({
  type: "unknown",
  extra: {
    dialect: "openai-chat",
    fields: { type: "vendor_call", id, vendor_call: { name: "c", input: "x" } },
  },
}))
const textCall: fc.Arbitrary<ToolCallPart> = record<ToolCallPart>(
  fc.tuple(word, word, fc.string({ unit: "binary" })).map(([id, name, input]) => ({
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify({ input }),
    origin: { form: "text", name },
  })),
  { extra },
)

const plainMessage = record<Message>(
  fc
    .tuple(fc.constantFrom("system" as const, "developer" as const, "user" as const), content)
    .map(([role, parts]) => ({ role, parts })),
  { name: word, extra },
)
const assistantMessage = record<Message>(
  fc
    .tuple(
      fc.array(reasoningPart, { maxLength: 2 }),
      fc.array(textPart, { maxLength: 2 }),
      fc.array(refusalPart, { maxLength: 1 }),
      fc.array(fc.oneof(toolCall, textCall, otherCall), { maxLength: 2 }),
    )
    .map((parts) => ({ role: "assistant", parts: parts.flat() })),
  { name: word, extra },
)
const toolMessage = record<Message>(
  fc.tuple(word, fc.array(textPart, { maxLength: 2 })).map(([id, content]) => ({
    role: "tool",
    parts: [{ type: "tool-result", id, content: content as never }],
  })),
  { extra },
)

const tool: fc.Arbitrary<Tool> = record<Tool>(
  word.map((name) => ({ name })),
  { description: text, parameters: schema, strict: fc.boolean(), cache, extra },
)

const format = fc.constantFrom(
  { type: "text" },
  { type: "grammar", syntax: "regex", definition: "a*" },
)
const freeTool: fc.Arbitrary<Tool> = fc
  .tuple(
    record<ToolOrigin>(
      word.map((name) => ({ form: "text", name })),
      { description: text, format },
    ),
    record<Pick<Tool, "cache" | "extra">>(fc.constant({}), { cache, extra }),
  )
  .map(([origin, rest]) => ({ ...textTool(origin.name, origin), ...rest }))

const toolChoice = fc.oneof(
  fc.constantFrom("auto", "none", "required").map((type) => ({ type })),
  word.map((name) => ({ type: "tool", name })),
)

export const request: fc.Arbitrary<ChatRequest> = record<ChatRequest>(
  fc
    .tuple(
      word,
      fc.array(fc.oneof(plainMessage, assistantMessage, toolMessage), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.boolean(),
      fc.integer({ min: 1, max: 128 }),
    )
    .map(([model, messages, stream, choices]) => ({
      model,
      messages,
      stream,
      // Usage is always asked for upstream.
      streamUsage: stream,
      choices,
    })),
  {
    maxTokens: fc.integer({ min: 1 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    topK: fc.integer({ min: 1 }),
    stop: fc.array(text, { minLength: 1, maxLength: 4 }),
    seed: fc.integer(),
    presencePenalty: fc.integer({ min: -2, max: 2 }),
    frequencyPenalty: fc.integer({ min: -2, max: 2 }),
    logprobs: fc.boolean(),
    topLogprobs: fc.integer({ min: 0, max: 20 }),
    responseFormat: fc.oneof(
      fc.constantFrom("text", "json-object").map((type) => ({ type })),
      record(
        word.map((name) => ({ type: "json-schema", name })),
        { schema, description: text, strict: fc.boolean() },
      ),
    ),
    reasoning: record<ReasoningOptions>(
      fc.oneof(
        fc.constantFrom<ReasoningOptions>({ isAdaptive: true }, { effort: "none" }),
        word.map((effort) => ({ effort })),
        fc.integer({ min: 1 }).map((budget) => ({ budget })),
      ),
      { summary: fc.constant("none") },
    ),
    verbosity: word,
    user: text,
    safetyIdentifier: text,
    metadata: fc.dictionary(word, text, { maxKeys: 2, noNullPrototype: true }),
    serviceTier: word,
    promptCacheKey: text,
    extra,
  },
).chain((request) =>
  fc.oneof(
    fc.constant(request),
    // Of calls something can be said only where there are tools.
    record(
      fc
        .tuple(fc.array(fc.oneof(tool, freeTool), { minLength: 1, maxLength: 3 }), fc.boolean())
        .map(([tools, parallelToolCalls]) => ({ ...request, tools, parallelToolCalls })),
      { toolChoice },
    ),
  ),
)

const usage: fc.Arbitrary<Usage> = fc
  .record({
    inputFresh: fc.nat(),
    inputCacheRead: fc.nat(),
    inputCacheWrite: fc.nat(),
    audioInput: fc.nat(),
    imageInput: fc.nat(),
    output: fc.nat(),
    audioOutput: fc.nat(),
    searches: fc.nat(9),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...usage }) => ({
    ...NO_USAGE,
    ...usage,
    reasoning: Math.floor(usage.output * share),
  }))

function finishOf(parts: readonly Part[], finish: FinishReason): FinishReason {
  const hasCalls = parts.some(({ type }) => type === "tool-call")
  return hasCalls && finish === "stop" ? "tool-calls" : finish
}

const finish = fc.constantFrom<FinishReason>("stop", "length", "tool-calls", "content-filter")

const choiceExtra: fc.Arbitrary<Extra> = fc
  .tuple(fields, fields, fc.boolean(), fc.boolean())
  .map(([own, ofMessage, hasOwn, hasMessage]) => ({
    dialect: "openai-chat",
    fields: {
      ...(hasOwn || !hasMessage ? own : {}),
      ...(hasMessage ? { message: ofMessage } : {}),
    },
  }))

const citation: fc.Arbitrary<Citation> = record<Citation>(
  fc
    .tuple(webUrl, fc.nat(9), fc.nat(9))
    .map(([url, start, length]) => ({ url, start, end: start + length })),
  { title: text, quote: text, extra },
)
const saidPart: fc.Arbitrary<Part> = record<TextPart>(
  text.map((text) => ({ type: "text", text })),
  { citations: fc.array(citation, { minLength: 1, maxLength: 2 }) },
)

/** Calls, each with the reasoning that stands right before it. */
const reasonedCalls: fc.Arbitrary<Part[]> = fc
  .array(fc.tuple(fc.array(reasoningPart, { maxLength: 2 }), toolCall), { maxLength: 3 })
  .map((calls) => calls.flatMap(([reasoning, call]) => [...reasoning, call]))

export const choice: fc.Arbitrary<Choice> = record<Choice>(
  fc
    .tuple(
      fc.array(reasoningPart, { maxLength: 2 }),
      fc.array(saidPart, { maxLength: 1 }),
      fc.array(refusalPart, { maxLength: 1 }),
      reasonedCalls,
      fc.array(reasoningPart, { maxLength: 1 }),
      finish,
    )
    .map(([reasoning, said, refusal, calls, last, finish]) => {
      const parts = [...reasoning, ...said, ...refusal, ...calls, ...last]
      return { index: 0, parts, finish: finishOf(parts, finish) }
    }),
  { extra: choiceExtra },
)

export const result: fc.Arbitrary<ChatResult> = record<ChatResult>(
  fc
    .tuple(word, word, fc.nat(), fc.array(choice, { minLength: 1, maxLength: 3 }), usage)
    .map(([id, model, created, choices, usage]) => ({
      id: `chatcmpl-${id}`,
      model,
      created,
      choices: choices.map((choice, index) => ({ ...choice, index })),
      usage,
    })),
  { extra },
)

/** What one choice streams, in order. */
function streamOf(choice: number): fc.Arbitrary<ChatEvent[]> {
  const said: fc.Arbitrary<ChatEvent> = fc.oneof(
    text.map((text): ChatEvent => ({ type: "text-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "reasoning-delta", choice, text })),
    text.map((text): ChatEvent => ({ type: "refusal-delta", choice, text })),
    signature(choice),
    choiceExtra.map((extra): ChatEvent => ({ type: "choice-extra", choice, extra })),
  )
  const called = fc.array(fc.tuple(word, fc.array(text, { minLength: 1, maxLength: 3 })), {
    maxLength: 2,
  })
  const cited = fc.array(citation, { maxLength: 2 })
  return fc
    .tuple(fc.array(said, { maxLength: 6 }), called, cited, finish)
    .map(([said, called, cited, finish]) => {
      const calls = called.flatMap(([name, chunks], call): ChatEvent[] => [
        { type: "tool-call-start", choice, call, id: `call_${call}`, name },
        ...chunks.map((chunk): ChatEvent => ({
          type: "tool-call-delta",
          choice,
          call,
          arguments: chunk,
        })),
      ])
      const reason = called.length > 0 && finish === "stop" ? "tool-calls" : finish
      const citations = cited.map((citation): ChatEvent => ({ type: "citation", choice, citation }))
      return [...said, ...calls, ...citations, { type: "finish", choice, reason }]
    })
}

function signature(choice: number): fc.Arbitrary<ChatEvent> {
  return record<ChatEvent>(
    fc.uuid().map((signature) => ({
      type: "reasoning-signature",
      choice,
      signature,
      signedBy: "openai-chat",
    })),
    { isRedacted: fc.constant(true), id: word },
  )
}

export const events: fc.Arbitrary<ChatEvent[]> = fc
  .tuple(
    record<ChatEvent>(
      fc.tuple(word, word, fc.nat()).map(([id, model, created]) => ({
        type: "start",
        id: `chatcmpl-${id}`,
        model,
        created,
      })),
      { extra },
    ),
    streamOf(0),
    streamOf(1),
    fc.infiniteStream(fc.boolean()),
    usage,
  )
  .map(([start, left, right, coin, usage]) => [
    start,
    ...interleave(left, right, coin),
    { type: "usage", usage },
  ])

function interleave(left: ChatEvent[], right: ChatEvent[], coin: Iterator<boolean>): ChatEvent[] {
  const mixed: ChatEvent[] = []
  let [fromLeft, fromRight] = [0, 0]
  while (fromLeft < left.length || fromRight < right.length) {
    const isLeft = fromRight >= right.length || (fromLeft < left.length && coin.next().value)
    mixed.push(isLeft ? left[fromLeft++]! : right[fromRight++]!)
  }
  return mixed
}
