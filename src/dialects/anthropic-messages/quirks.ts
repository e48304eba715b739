/** Departures of one vendor's API, or of one family of its models, from the others. */
export interface AnthropicQuirks {
  /** Value of `max_tokens`, which this dialect requires, for callers that did not send it. */
  readonly defaultMaxTokens: number
  /** The highest temperature accepted; a higher one is lowered to it, which is a loss. */
  readonly maxTemperature: number
  /** Whether `temperature` (other than 1), `top_p` and `top_k` are accepted at all. */
  readonly sampling: boolean
  /** Whether `temperature` and `top_p` are accepted together; if not, only `temperature` is sent. */
  readonly temperatureWithTopP: boolean
  /** The form in which a model accepts thinking: a budget in tokens; adaptive, with an effort; or either. */
  readonly thinking: "budget" | "adaptive" | "either"
  /** The efforts that adaptive thinking accepts. */
  readonly efforts: readonly string[]
  /** Whether `output_config.format` and `strict` tools are supported; else a forced tool replaces them. */
  readonly structuredOutput: boolean
  /** Whether the vendor is known to end the text before a stop sequence. */
  readonly cutsStops: boolean
  /** Families of models with their own quirks; the first match applies. */
  readonly families: readonly ModelFamily[]
}

/** Models recognized by name. */
export interface ModelFamily {
  readonly name: RegExp
  readonly quirks: Partial<Omit<AnthropicQuirks, "families">>
}

const EFFORTS: readonly string[] = Object.freeze(["low", "medium", "high", "xhigh", "max"])

/**
 * Anthropic's own models (platform.claude.com: adaptive thinking, structured outputs, changes in Claude 4.7). From
 * Opus 4.7 on they reject budgets and sampling; 4.6 accepts budgets and efforts, but not `xhigh`
 * (docs/contribute/wire/anthropic-messages.md#f16); models before Opus 4.1 have no structured output.
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

/** Anthropic's own API, for models outside these families. */
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

/** The quirks of one model. */
export function quirksOf(model: string, quirks: AnthropicQuirks): AnthropicQuirks {
  const family = quirks.families.find(({ name }) => name.test(model))
  return family === undefined ? quirks : { ...quirks, ...family.quirks }
}
