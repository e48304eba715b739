/** Differences between the APIs of vendors, or between families of one vendor's models. */
export interface AnthropicQuirks {
  /** Value of `max_tokens` for callers that did not set it, because this dialect requires one. */
  readonly defaultMaxTokens: number
  /** The highest temperature that is accepted. A higher value is lowered to it, which is a loss. */
  readonly maxTemperature: number
  /** Whether `temperature` (other than 1), `top_p` and `top_k` are accepted. */
  readonly sampling: boolean
  /** Whether `temperature` and `top_p` are accepted together; if not, only `temperature` is sent. */
  readonly temperatureWithTopP: boolean
  /** The form of thinking that a model accepts: a budget in tokens, adaptive thinking with an effort, or either. */
  readonly thinking: "budget" | "adaptive" | "either"
  /** The efforts that adaptive thinking accepts. */
  readonly efforts: readonly string[]
  /** Whether `output_config.format` and `strict` tools are supported. Otherwise, a forced tool replaces them. */
  readonly structuredOutput: boolean
  /** Whether the vendor is known to end the text before a stop sequence. */
  readonly cutsStops: boolean
  /** Families of models with their own quirks. The first match applies. */
  readonly families: readonly ModelFamily[]
}

/** A family of models that is recognized by name. */
export interface ModelFamily {
  readonly name: RegExp
  readonly quirks: Partial<Omit<AnthropicQuirks, "families">>
}

const EFFORTS: readonly string[] = Object.freeze(["low", "medium", "high", "xhigh", "max"])

/**
 * Anthropic's own models (platform.claude.com: adaptive thinking, structured outputs, changes in Claude 4.7). Opus 4.7
 * and later models reject budgets and sampling parameters. Version 4.6 accepts budgets and efforts, but not `xhigh`
 * (docs/contribute/wire/anthropic-messages.md#f16). Models before Opus 4.1 have no structured output.
 */
const FAMILIES: readonly ModelFamily[] = Object.freeze([
  {
    name: /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4-[78]|[5-9])(?!\d))/,
    quirks: { thinking: "adaptive", sampling: false },
  },
  {
    name: /claude-(?:opus|sonnet)-4-6(?!\d)/,
    quirks: { thinking: "either", efforts: ["low", "medium", "high", "max"] },
  },
  {
    name: /claude-(?:3|(?:opus|sonnet)-4(?!-[15](?!\d)))/,
    quirks: { structuredOutput: false },
  },
])

/** The quirks of Anthropic's own API, for models outside these families. */
export const ANTHROPIC_QUIRKS: AnthropicQuirks = Object.freeze({
  defaultMaxTokens: 8192,
  maxTemperature: 1,
  sampling: true,
  temperatureWithTopP: false,
  thinking: "budget",
  efforts: EFFORTS,
  structuredOutput: true,
  cutsStops: true,
  families: FAMILIES,
})

export function quirksOf(model: string, quirks: AnthropicQuirks): AnthropicQuirks {
  const family = quirks.families.find(({ name }) => name.test(model))
  return family === undefined ? quirks : { ...quirks, ...family.quirks }
}
