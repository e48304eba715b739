import * as z from "zod"
import { expects } from "../../../canon/invalid-request.ts"
import { decimal, flag, integer, text } from "../../shared/parameters.ts"
import { scalar, schemasOf } from "../../shared/scalars.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"

const AN_OBJECT = expects("an object")

const MAX_METADATA = 16
const METADATA_WORDS = `Invalid 'metadata': too many properties. Expected an object with at most ${MAX_METADATA} properties.`

const metadata = () =>
  z
    .record(z.string(), z.string().max(512), expects("a metadata object"))
    .refine((values) => Object.keys(values).length <= MAX_METADATA, METADATA_WORDS)
    .nullish()

const format = () =>
  z
    .looseObject(
      {
        type: z.enum(["text", "json_object", "json_schema"]),
        name: text(),
        description: text(),
        schema: z.looseObject({}, AN_OBJECT).nullish(),
        strict: flag(),
      },
      AN_OBJECT,
    )
    .nullish()

const penalty = () => decimal({ minimum: -2, maximum: 2 })

/** Penalties, which OpenAI's own responses API lacks. */
const PENALTIES = {
  support: ({ penalties }: OpenAiResponsesQuirks) => (penalties ? "carried" : "dropped"),
} as const

export const SCALARS = {
  max_output_tokens: scalar("maxTokens", () => integer({ minimum: 1 })),
  temperature: scalar("temperature", () => decimal({ minimum: 0, maximum: 2 })),
  top_p: scalar("topP", () => decimal({ minimum: 0, maximum: 1 })),
  presence_penalty: scalar("presencePenalty", penalty, PENALTIES),
  frequency_penalty: scalar("frequencyPenalty", penalty, PENALTIES),
  top_logprobs: scalar("topLogprobs", () => integer({ minimum: 0, maximum: 20 }), {
    decode: (count) => (count > 0 ? count : undefined),
  }),
  metadata: scalar("metadata", metadata),
  service_tier: scalar("serviceTier", () => text()),
  user: scalar("user", () => text()),
  safety_identifier: scalar("safetyIdentifier", () => text()),
  prompt_cache_key: scalar("promptCacheKey", () => text()),
}

/**
 * Parameters of a response except `input`, `tools` and `tool_choice`, which are validated while they are read. Types
 * and limits are OpenAI's (OpenAI's OpenAPI description, docs/contribute/wire/openai-responses.md#f1), except for the
 * minimum of `max_output_tokens`, which is 16 at OpenAI. Any value is valid for fields to which vendors add their own
 * values.
 */
export const responseParameters = () =>
  z.object({
    model: z.string(),
    stream: flag(),
    stream_options: z.looseObject({ include_obfuscation: flag() }, AN_OBJECT).nullish(),
    instructions: text(),
    previous_response_id: text(),
    ...schemasOf(SCALARS),
    max_tool_calls: integer({ minimum: 1 }),
    parallel_tool_calls: flag(),
    text: z.looseObject({ format: format(), verbosity: text() }, AN_OBJECT).nullish(),
    reasoning: z
      .looseObject({ effort: text(), summary: text(), generate_summary: text() }, AN_OBJECT)
      .nullish(),
    include: z.array(z.string(), expects("an array of strings")).nullish(),
    truncation: z.enum(["auto", "disabled"]).nullish(),
    store: flag(),
    background: flag(),
  })

/** The validated parameters of a response. */
export type ResponseParameters = z.infer<ReturnType<typeof responseParameters>>
