import * as z from "zod"
import { expects } from "../../../canon/invalid-request.ts"
import { decimal, flag, integer, longInteger, text } from "../../shared/parameters.ts"
import { decodeStop, scalar, schemasOf } from "../../shared/scalars.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"

const A_STOP = expects("one of a string or array of strings")
const AN_OBJECT = expects("an object")

/** Accepts any object. The vendor validates its content. */
const anyObject = () => z.looseObject({}, AN_OBJECT).nullish()

const jsonSchemaFormat = () =>
  z.looseObject(
    {
      name: text(),
      description: text(),
      schema: anyObject(),
      strict: flag(),
    },
    AN_OBJECT,
  )

const responseFormat = () =>
  z
    .looseObject(
      {
        type: z.string(),
        json_schema: jsonSchemaFormat().nullish(),
      },
      AN_OBJECT,
    )
    .nullish()

export const SCALARS = {
  n: scalar("choices", () => integer({ minimum: 1, maximum: 128 }), {
    support: ({ maxChoices }: OpenAiChatQuirks) => (maxChoices > 1 ? "carried" : "approximated"),
  }),
  max_tokens: scalar("maxTokens", () => integer({ minimum: 1 })),
  // OpenAI rejects 0, but clients send it to have a prompt cached. Lower values are rejected with OpenAI's message.
  max_completion_tokens: scalar("maxTokens", () =>
    z.preprocess((value) => (value === 0 ? 1 : value), integer({ minimum: 1 })),
  ),
  temperature: scalar("temperature", () => decimal({ minimum: 0, maximum: 2 }), {
    support: ({ maxTemperature }: OpenAiChatQuirks) =>
      maxTemperature === undefined ? "carried" : "approximated",
  }),
  top_p: scalar("topP", () => decimal({ minimum: 0, maximum: 1 })),
  top_k: scalar("topK", () => integer(), {
    support: ({ topK }: OpenAiChatQuirks) => (topK ? "carried" : "dropped"),
  }),
  stop: scalar("stop", () => z.union([z.string(), z.array(z.string())], A_STOP).nullish(), {
    decode: decodeStop,
  }),
  seed: scalar("seed", () => longInteger()),
  presence_penalty: scalar("presencePenalty", () => decimal({ minimum: -2, maximum: 2 })),
  frequency_penalty: scalar("frequencyPenalty", () => decimal({ minimum: -2, maximum: 2 })),
  logprobs: scalar("logprobs", () => flag()),
  top_logprobs: scalar("topLogprobs", () => integer({ minimum: 0, maximum: 20 })),
  verbosity: scalar("verbosity", () => text()),
  user: scalar("user", () => text()),
  safety_identifier: scalar("safetyIdentifier", () => text()),
  prompt_cache_key: scalar("promptCacheKey", () => text()),
  service_tier: scalar("serviceTier", () => text()),
  metadata: scalar("metadata", () =>
    z.record(z.string(), z.string().max(512), expects("a metadata object")).nullish(),
  ),
}

/**
 * Parameters of a chat completion except `messages`, `tools` and `tool_choice`, which are validated while they are
 * read. Types and limits are OpenAI's (OpenAI's OpenAPI description, docs/contribute/wire/openai-chat.md#f1). Any value
 * is valid for fields to which vendors add their own values (`service_tier`, `reasoning_effort`). Only these fields are
 * validated. All others stay in the body, which is sent unchanged.
 */
export const chatParameters = () =>
  z.object({
    model: z.string(),
    stream: flag(),
    stream_options: z.looseObject({ include_usage: flag() }, AN_OBJECT).nullish(),
    ...schemasOf(SCALARS),
    logit_bias: z.record(z.string(), z.number(expects("a decimal")), AN_OBJECT).nullish(),
    parallel_tool_calls: flag(),
    response_format: responseFormat(),
    reasoning_effort: text(),
    store: flag(),
    modalities: z
      .array(z.enum(["text", "audio", "image"]), expects("an array of strings"))
      .nullish(),
    audio: z
      .looseObject(
        { format: z.enum(["mp3", "opus", "aac", "flac", "wav", "pcm16"]).nullish() },
        AN_OBJECT,
      )
      .nullish(),
    // OpenRouter's option that requests usage in a stream.
    usage: z.looseObject({ include: flag() }, AN_OBJECT).nullish(),
    prediction: anyObject(),
    web_search_options: anyObject(),
  })

/** The validated parameters of a chat completion. */
export type ChatParameters = z.infer<ReturnType<typeof chatParameters>>
