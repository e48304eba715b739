import * as z from "zod"
import { expects } from "../../../canon/invalid-request.ts"
import type { LossList } from "../../shared/losses.ts"
import { decimal, flag, integer, text } from "../../shared/parameters.ts"

const AN_OBJECT = expects("an object")

/** The smallest thinking budget that Anthropic accepts. */
export const SMALLEST_BUDGET = 1024

const format = z.looseObject({ type: z.string(), schema: z.looseObject({}, AN_OBJECT).nullish() })

/**
 * Parameters of a message other than `messages`, `system`, `tools` and `tool_choice`, which are validated while
 * they are read. Types and limits are those of the official client and of docs/api.md#chat; other fields stay
 * in the body, which is sent unchanged.
 */
export const messageParameters = z.object({
  model: z.string(),
  // 0 only asks for the prompt to be cached.
  max_tokens: integer({ minimum: 0 }),
  stream: flag(),
  temperature: decimal({ minimum: 0, maximum: 1 }),
  top_p: decimal({ minimum: 0, maximum: 1 }),
  top_k: integer({ minimum: 0 }),
  stop_sequences: z.array(z.string(), expects("an array of strings")).nullish(),
  service_tier: text(),
  metadata: z.looseObject({ user_id: text() }, AN_OBJECT).nullish(),
  thinking: z
    .looseObject(
      { type: z.string(), budget_tokens: integer({ minimum: SMALLEST_BUDGET }), display: text() },
      AN_OBJECT,
    )
    .nullish(),
  output_config: z.looseObject({ effort: text(), format: format.nullish() }, AN_OBJECT).nullish(),
  output_format: format.nullish(),
})

/** The validated parameters of a message. */
export type MessageParameters = z.infer<typeof messageParameters>

/** Anthropic's word for the default tier. */
const STANDARD = "standard_only"
const DEFAULT = "default"

/** The service tier in the canon's words, which are OpenAI's. */
export function decodeServiceTier(tier: string): string {
  return tier === STANDARD ? DEFAULT : tier
}

/** Anthropic has two: `auto`, which prefers priority, and no priority. */
export function encodeServiceTier(tier: string, losses: LossList): string {
  if (tier === "auto") return tier
  if (tier === DEFAULT || tier === "standard") return STANDARD
  losses.add("service_tier", "approximated")
  return tier === "priority" ? "auto" : STANDARD
}
