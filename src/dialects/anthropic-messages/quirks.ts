/** How one vendor's API, or one family of its models, departs from the others. */
export interface AnthropicQuirks {
  /** `max_tokens`, which this dialect demands, for callers who gave none. */
  readonly defaultMaxTokens: number
  /** The highest temperature that is taken; a higher one is lowered to it, which is a loss. */
  readonly maxTemperature: number
  /** Whether `temperature` (other than 1), `top_p` and `top_k` are taken at all. */
  readonly sampling: boolean
  /** Whether `temperature` and `top_p` may come together; if not, `temperature` goes up alone. */
  readonly temperatureWithTopP: boolean
  /**
   * How a model is asked to think: with a budget in tokens; adaptively, with a word for the effort; or
   * in either way.
   */
  readonly thinking: "budget" | "adaptive" | "either"
  /** The words for the effort that adaptive thinking takes. */
  readonly efforts: readonly string[]
  /** Whether `output_config.format` and `strict` tools are known; else a forced tool stands in. */
  readonly structuredOutput: boolean
  /** Families of models with quirks of their own; those of the first whose name fits count. */
  readonly families: readonly ModelFamily[]
}

/** Models that are recognized by their name. */
export interface ModelFamily {
  readonly name: RegExp
  readonly quirks: Partial<Omit<AnthropicQuirks, "families">>
}

const EFFORTS: readonly string[] = Object.freeze(["low", "medium", "high", "xhigh", "max"])

/**
 * Anthropic's own models (platform.claude.com: adaptive thinking, structured outputs, what is new in
 * Claude 4.7). Those since Opus 4.7 refuse budgets and sampling; 4.6 takes budgets and efforts, but
 * not `xhigh` (docs/wire/anthropic-messages.md#f16); those before
 * Opus 4.1 have no structured output.
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

/** Anthropic's own API, for models of no family. */
export const ANTHROPIC_QUIRKS: AnthropicQuirks = Object.freeze({
  defaultMaxTokens: 8192,
  maxTemperature: 1,
  sampling: true,
  temperatureWithTopP: false,
  thinking: "budget",
  efforts: EFFORTS,
  structuredOutput: true,
  families: FAMILIES,
})

/** The quirks that count for one model. */
export function quirksOf(model: string, quirks: AnthropicQuirks): AnthropicQuirks {
  const family = quirks.families.find(({ name }) => name.test(model))
  return family === undefined ? quirks : { ...quirks, ...family.quirks }
}
