import * as z from "zod"
import { decimal, flag, integer, longInteger, text } from "../../shared/parameters.ts"
import { decodeStop, scalar, schemasOf } from "../../shared/scalars.ts"
import type { GeminiQuirks } from "../quirks.ts"

/** The scalar parameters of `generationConfig`. */
export const SAMPLING = {
  temperature: scalar("temperature", () => decimal({ minimum: 0, maximum: 2 })),
  topP: scalar("topP", () => decimal({ minimum: 0, maximum: 1 })),
  topK: scalar("topK", () => integer({ minimum: 1 })),
  candidateCount: scalar("choices", () => integer({ minimum: 1, maximum: 8 }), {
    support: ({ maxCandidates }: GeminiQuirks) => (maxCandidates > 1 ? "carried" : "approximated"),
  }),
  maxOutputTokens: scalar("maxTokens", () => integer({ minimum: 1 })),
  stopSequences: scalar("stop", () => z.array(z.string()).nullish(), { decode: decodeStop }),
  presencePenalty: scalar("presencePenalty", () => decimal()),
  frequencyPenalty: scalar("frequencyPenalty", () => decimal()),
  seed: scalar("seed", () => longInteger()),
  responseLogprobs: scalar("logprobs", () => flag()),
  logprobs: scalar("topLogprobs", () => integer({ minimum: 0, maximum: 20 })),
}

/** Google's names for the canon's default service tier. */
const DEFAULT_TIERS: ReadonlySet<string> = new Set(["standard", "unspecified"])

/** The scalar parameters of the body itself. */
export const SERVICE = {
  serviceTier: scalar("serviceTier", () => text(), {
    decode: (tier) => (DEFAULT_TIERS.has(tier) ? "default" : tier),
    support: ({ serviceTier }: GeminiQuirks) => (serviceTier ? "carried" : "dropped"),
  }),
  labels: scalar("metadata", () => z.record(z.string(), z.string()).nullish(), {
    support: ({ labels }: GeminiQuirks) => (labels ? "carried" : "dropped"),
  }),
}

/** The members of `GenerationConfig` (@google/genai) that the canon can represent. */
const generationConfig = () =>
  z.looseObject({
    ...schemasOf(SAMPLING),
    responseMimeType: text(),
    responseSchema: z.looseObject({}).nullish(),
    responseJsonSchema: z.looseObject({}).nullish(),
    thinkingConfig: z
      .looseObject({
        includeThoughts: flag(),
        thinkingBudget: integer({ minimum: -1 }),
        thinkingLevel: text(),
      })
      .nullish(),
  })

const toolConfig = () =>
  z.looseObject({
    functionCallingConfig: z
      .looseObject({ mode: text(), allowedFunctionNames: z.array(z.string()).nullish() })
      .nullish(),
  })

/** The parameters of a request that a schema validates. */
export const generationParameters = () =>
  z.looseObject({
    model: z.string(),
    generationConfig: generationConfig().nullish(),
    tools: z.array(z.looseObject({})).nullish(),
    toolConfig: toolConfig().nullish(),
    ...schemasOf(SERVICE),
  })

export type GenerationParameters = z.infer<ReturnType<typeof generationParameters>>

/** The validated `generationConfig` of a request. */
export type GenerationConfig = z.infer<ReturnType<typeof generationConfig>>
