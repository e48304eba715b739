import * as z from "zod"
import { decimal, flag, integer, longInteger, text } from "../../shared/parameters.ts"

/** `GenerationConfig` (@google/genai), as far as the canon has it. */
const generationConfig = z.looseObject({
  temperature: decimal({ minimum: 0, maximum: 2 }),
  topP: decimal({ minimum: 0, maximum: 1 }),
  topK: integer({ minimum: 1 }),
  candidateCount: integer({ minimum: 1, maximum: 8 }),
  maxOutputTokens: integer({ minimum: 1 }),
  stopSequences: z.array(z.string()).nullish(),
  presencePenalty: decimal(),
  frequencyPenalty: decimal(),
  seed: longInteger(),
  responseLogprobs: flag(),
  logprobs: integer({ minimum: 0, maximum: 20 }),
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

const toolConfig = z.looseObject({
  functionCallingConfig: z
    .looseObject({ mode: text(), allowedFunctionNames: z.array(z.string()).nullish() })
    .nullish(),
})

/** The parameters of a request that are validated by schema. */
export const generationParameters = z.looseObject({
  model: z.string(),
  generationConfig: generationConfig.nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  toolConfig: toolConfig.nullish(),
  serviceTier: text(),
  labels: z.record(z.string(), z.string()).nullish(),
})

/** The validated parameters of a request. */
export type GenerationParameters = z.infer<typeof generationParameters>

/** Its validated `generationConfig`. */
export type GenerationConfig = z.infer<typeof generationConfig>
