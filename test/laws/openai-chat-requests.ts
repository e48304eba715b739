import * as fc from "fast-check"
import type { Message } from "../../src/canon/message.ts"
import type { ChatRequest, ReasoningOptions } from "../../src/canon/chat.ts"
import type { Tool, ToolOrigin } from "../../src/canon/tool.ts"
import { textTool } from "../../src/dialects/shared/text-tool.ts"
import {
  cache,
  content,
  extra,
  otherCall,
  reasoningPart,
  record,
  refusalPart,
  schema,
  text,
  textCall,
  textPart,
  toolCall,
  word,
} from "./openai-chat-parts.ts"

/** Generators for all requests that the canon can express in `openai-chat`. */

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
      // The gateway always requests usage from the provider.
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
    // Options about calls require tools.
    record(
      fc
        .tuple(fc.array(fc.oneof(tool, freeTool), { minLength: 1, maxLength: 3 }), fc.boolean())
        .map(([tools, parallelToolCalls]) => ({ ...request, tools, parallelToolCalls })),
      { toolChoice },
    ),
  ),
)
