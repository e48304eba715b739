import * as z from "zod"
import { expects } from "../../../canon/invalid-request.ts"
import { decimal, flag, integer, longInteger, text } from "../../shared/parameters.ts"

const A_STOP = expects("one of a string or array of strings")
const AN_OBJECT = expects("an object")

/** Any object; its content is up to the vendor. */
const anyObject = z.looseObject({}, AN_OBJECT).nullish()

const jsonSchemaFormat = z.looseObject(
  {
    name: text(),
    description: text(),
    schema: anyObject,
    strict: flag(),
  },
  AN_OBJECT,
)

const responseFormat = z
  .looseObject(
    {
      type: z.string(),
      json_schema: jsonSchemaFormat.nullish(),
    },
    AN_OBJECT,
  )
  .nullish()

/**
 * Parameters of a chat completion other than `messages`, `tools` and `tool_choice`, which are validated while
 * they are read. Types and limits are OpenAI's (OpenAI's OpenAPI description, docs/wire/openai-chat.md#f1);
 * where vendors add their own values (`service_tier`, `reasoning_effort`), any value passes. Only what is named
 * here is validated: other fields stay in the body, which is sent unchanged.
 */
export const chatParameters = z.object({
  model: z.string(),
  stream: flag(),
  stream_options: z.looseObject({ include_usage: flag() }, AN_OBJECT).nullish(),
  max_tokens: integer({ minimum: 1 }),
  // OpenAI refuses 0, which clients send to have a prompt cached; lower values get OpenAI's message.
  max_completion_tokens: z.preprocess(
    (value) => (value === 0 ? 1 : value),
    integer({ minimum: 1 }),
  ),
  n: integer({ minimum: 1, maximum: 128 }),
  temperature: decimal({ minimum: 0, maximum: 2 }),
  top_p: decimal({ minimum: 0, maximum: 1 }),
  top_k: integer(),
  stop: z.union([z.string(), z.array(z.string())], A_STOP).nullish(),
  seed: longInteger(),
  presence_penalty: decimal({ minimum: -2, maximum: 2 }),
  frequency_penalty: decimal({ minimum: -2, maximum: 2 }),
  logit_bias: z.record(z.string(), z.number(expects("a decimal")), AN_OBJECT).nullish(),
  logprobs: flag(),
  top_logprobs: integer({ minimum: 0, maximum: 20 }),
  parallel_tool_calls: flag(),
  response_format: responseFormat,
  reasoning_effort: text(),
  verbosity: text(),
  user: text(),
  safety_identifier: text(),
  prompt_cache_key: text(),
  service_tier: text(),
  store: flag(),
  metadata: z.record(z.string(), z.string().max(512), expects("a metadata object")).nullish(),
  modalities: z.array(z.enum(["text", "audio", "image"]), expects("an array of strings")).nullish(),
  audio: z
    .looseObject(
      { format: z.enum(["mp3", "opus", "aac", "flac", "wav", "pcm16"]).nullish() },
      AN_OBJECT,
    )
    .nullish(),
  // OpenRouter's way to ask for usage in a stream.
  usage: z.looseObject({ include: flag() }, AN_OBJECT).nullish(),
  prediction: anyObject,
  web_search_options: anyObject,
})

/** The validated parameters of a chat completion. */
export type ChatParameters = z.infer<typeof chatParameters>
