import * as z from "zod"
import { expects } from "../../../canon/invalid-request.ts"
import type { LossList } from "../../shared/losses.ts"
import { decimal, flag, integer, text } from "../../shared/parameters.ts"
import { decodeStop, scalar, schemasOf } from "../../shared/scalars.ts"
import type { AnthropicQuirks } from "../quirks.ts"

const AN_OBJECT = expects("an object")

/** The smallest thinking budget that Anthropic accepts. */
export const SMALLEST_BUDGET = 1024

const format = () =>
  z.looseObject({ type: z.string(), schema: z.looseObject({}, AN_OBJECT).nullish() })

/** Anthropic's name for the default service tier. */
const STANDARD = "standard_only"
const DEFAULT = "default"

const SAMPLING = {
  support: ({ sampling }: AnthropicQuirks) => (sampling ? "carried" : "dropped"),
} as const

export const SCALARS = {
  // 0 only requests that the prompt is cached.
  max_tokens: scalar("maxTokens", () => integer({ minimum: 0 })),
  temperature: scalar("temperature", () => decimal({ minimum: 0, maximum: 1 }), {
    // Callers of other dialects may send temperatures up to 2.
    support({ sampling, maxTemperature }: AnthropicQuirks) {
      if (!sampling) return "dropped"
      return maxTemperature < 2 ? "approximated" : "carried"
    },
  }),
  top_p: scalar("topP", () => decimal({ minimum: 0, maximum: 1 }), SAMPLING),
  top_k: scalar("topK", () => integer({ minimum: 0 }), SAMPLING),
  stop_sequences: scalar(
    "stop",
    () => z.array(z.string(), expects("an array of strings")).nullish(),
    {
      decode: decodeStop,
    },
  ),
  metadata: scalar("user", () => z.looseObject({ user_id: text() }, AN_OBJECT).nullish(), {
    decode: ({ user_id: user }) => user ?? undefined,
  }),
  service_tier: scalar("serviceTier", () => text(), {
    // The canon uses OpenAI's names of tiers.
    decode: (tier) => (tier === STANDARD ? DEFAULT : tier),
    support: () => "approximated",
  }),
}

/**
 * Parameters of a message except `messages`, `system`, `tools` and `tool_choice`, which are validated while they are
 * read. Types and limits follow the official client and docs/use/endpoints.md#chat. Other fields stay in the body,
 * which is sent unchanged.
 */
export const messageParameters = () =>
  z.object({
    model: z.string(),
    stream: flag(),
    ...schemasOf(SCALARS),
    thinking: z
      .looseObject(
        { type: z.string(), budget_tokens: integer({ minimum: SMALLEST_BUDGET }), display: text() },
        AN_OBJECT,
      )
      .nullish(),
    output_config: z
      .looseObject({ effort: text(), format: format().nullish() }, AN_OBJECT)
      .nullish(),
    output_format: format().nullish(),
  })

/** The validated parameters of a message. */
export type MessageParameters = z.infer<ReturnType<typeof messageParameters>>

/** Encodes the service tier. Anthropic has only two tiers: `auto`, which prefers priority, and `standard_only`. */
export function encodeServiceTier(tier: string, losses: LossList): string {
  if (tier === "auto") return tier
  if (tier === DEFAULT || tier === "standard") return STANDARD
  losses.add("service_tier", "approximated")
  return tier === "priority" ? "auto" : STANDARD
}
