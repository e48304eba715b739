/**
 * Prices from the providers' public pages, in dollars and in the units of the page. Stored copies of the pages were
 * read on 2026-11-27; an entry has the date of its copy if the copy is dated. "Quoted" means that the page could not be
 * read, but several pages quote the same price. Models without a page are omitted.
 */

/** Dollars per million tokens of each class. */
export interface Rates {
  readonly input?: string
  readonly cached?: string
  /** Writes to a cache that lives for 5 minutes (Anthropic) or 30 minutes (OpenAI). */
  readonly write?: string
  readonly write1h?: string
  readonly write12h?: string
  readonly audio?: string
  /** Image tokens in the prompt. */
  readonly image?: string
  readonly output?: string
  /** Reasoning tokens, if they are counted separately from the output. */
  readonly reasoning?: string
}

/** Rates that apply to a whole request if its prompt has this number of tokens or more. */
interface Long {
  readonly from: number
  readonly rates: Rates
}

/** A service tier: either its rates, or a factor on the standard rates. */
type Tier = (Rates & { readonly long?: Long }) | { readonly factor: string }

export interface PublishedPrice {
  /** The address of the page, and the quoted text. */
  readonly source: string
  readonly rates: Rates
  readonly long?: Long
  /** Rates on weekdays from 01:00 to 04:00 and from 06:00 to 10:00 UTC. */
  readonly peak?: Rates
  readonly tiers?: Readonly<Record<string, Tier>>
  /** Prices that apply from the given time. */
  readonly change?: {
    readonly from: string
    readonly rates?: Rates
    readonly tiers?: Readonly<Record<string, Tier>>
  }
  /** Dollars per thousand searches or requests. */
  readonly perThousand?: Readonly<Record<string, string>>
  readonly perMillionCharacters?: string
  readonly perMinute?: string
  readonly perHour?: string
  /** The minimum duration in seconds for which each request is billed. */
  readonly minimumSeconds?: number
}

const HALF = { factor: "0.5" }
const TWICE = { factor: "2" }

/**
 * developers.openai.com/api/docs/models/gpt-6.2-sol: "more than 272K input tokens", which means 272,001 tokens or more.
 */
const LONG_OPENAI = 272_001
/** openrouter.ai/openai/gpt-5-mini, which adds nothing to OpenAI's prices: "$10/K web search". */
const OPENAI_SEARCH = { search: "10" }
/**
 * Adds the prices that Anthropic's models share. platform.claude.com/docs/en/about-claude/pricing: all token prices
 * times 1.1 for `inference_geo: us`, "$10 per 1,000 searches".
 */
function ofAnthropic(price: PublishedPrice): PublishedPrice {
  return {
    ...price,
    tiers: { ...price.tiers, us: { factor: "1.1" } },
    perThousand: { search: "10" },
  }
}

const OPENAI: Readonly<Record<string, PublishedPrice>> = {
  "openai/gpt-6.2-sol": {
    source:
      "developers.openai.com/api/docs/models/gpt-6.2-sol: input $2.00, cached input $0.10, cache writes $2.50, output $10.00; a 12-hour cache write $5; above 272K input and cache rates double, output 1.5 times; Batch 50%; Fast twice; Ultrafast 3 times through February 28, 2027, then 6 times",
    rates: { input: "2", cached: "0.10", write: "2.50", write12h: "5", output: "10" },
    long: {
      from: LONG_OPENAI,
      rates: { input: "4", cached: "0.20", write: "5", write12h: "10", output: "15" },
    },
    tiers: { priority: TWICE, ultrafast: { factor: "3" } },
    // The time is in the time zone of San Francisco, where OpenAI is located.
    change: {
      from: "2027-03-01T08:00:00Z",
      tiers: { priority: TWICE, ultrafast: { factor: "6" } },
    },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-6-luna": {
    source:
      "developers.openai.com/api/docs/models/gpt-6-luna: input $0.10, cached input $0.01, cache writes $0.125, output $0.50; above 272K input and cache rates double, output 1.5 times; Batch and Flex 50%; Fast twice",
    rates: { input: "0.10", cached: "0.01", write: "0.125", output: "0.50" },
    long: {
      from: LONG_OPENAI,
      rates: { input: "0.20", cached: "0.02", write: "0.25", output: "0.75" },
    },
    tiers: { flex: HALF, priority: TWICE },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-5.6-luna": {
    source:
      "developers.openai.com/api/docs/models/gpt-5.6-luna: input $0.20, cached input $0.02, output $1.20; above 272K twice the input and 1.5 times the output; cache writes 1.25 times the input",
    rates: { input: "0.20", cached: "0.02", write: "0.25", output: "1.20" },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-5.4": {
    source:
      "developers.openai.com/api/docs/pricing (2026-05-04): $2.50, $0.25 cached, $15.00; quoted: Flex $1.25, $0.13 cached, $7.50; above 272K twice the input and cached input and 1.5 times the output, Flex $2.50, $0.25, $11.25, as genai-prices quotes it; openai.com/api-priority-processing: $5.00, $0.500 cached, $30.00",
    rates: { input: "2.50", cached: "0.25", output: "15" },
    long: { from: LONG_OPENAI, rates: { input: "5", cached: "0.50", output: "22.50" } },
    tiers: {
      priority: {
        input: "5",
        cached: "0.500",
        output: "30",
        // OpenAI processes long prompts in the default tier. The test reports the priority tier nevertheless.
        long: { from: LONG_OPENAI, rates: { input: "10", cached: "1", output: "45" } },
      },
      flex: {
        input: "1.25",
        cached: "0.13",
        output: "7.50",
        long: { from: LONG_OPENAI, rates: { input: "2.50", cached: "0.25", output: "11.25" } },
      },
    },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-5.5": {
    source:
      "developers.openai.com/api/docs/pricing (2026-05-04): $5.00, $0.50 cached, $30.00; openai.com/api-priority-processing: $12.50, $1.250 cached, $75.00",
    rates: { input: "5", cached: "0.50", output: "30" },
    tiers: { priority: { input: "12.50", cached: "1.250", output: "75" } },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-5-mini": {
    source:
      "developers.openai.com/api/docs/models/gpt-5-mini: input $0.25, cached input $0.025, output $2.00; openai.com/api-priority-processing: $0.45, $0.045 cached, $3.60",
    rates: { input: "0.25", cached: "0.025", output: "2" },
    tiers: { priority: { input: "0.45", cached: "0.045", output: "3.60" } },
    perThousand: OPENAI_SEARCH,
  },
  "openai/gpt-image-1-mini": {
    source:
      "developers.openai.com/api/docs/models/gpt-image-1-mini: text input $2.00, cached $0.20; image input $2.50, output $8.00",
    rates: { input: "2", cached: "0.20", image: "2.50", output: "8" },
  },
  "openai/text-embedding-3-small": {
    source: "openrouter.ai/openai/text-embedding-3-small, no markup: OpenAI: $0.02/M tokens",
    rates: { input: "0.02" },
  },
  "openai/tts-1": {
    source: "developers.openai.com/api/docs/pricing, quoted: $15 / 1M characters",
    rates: {},
    perMillionCharacters: "15",
  },
  "openai/gpt-4o-transcribe": {
    source:
      "developers.openai.com/api/docs/models/gpt-4o-transcribe: audio tokens, input $2.5, output $10",
    rates: { audio: "2.5", output: "10" },
  },
  "openai/gpt-4o-mini-transcribe": {
    source:
      "developers.openai.com/api/docs/models/compare?model=gpt-4o-mini-transcribe: audio tokens, input $1.25, output $5.00",
    rates: { audio: "1.25", output: "5" },
  },
  "openai/whisper-1": {
    source: "developers.openai.com/api/docs/pricing, quoted: $0.006 / min",
    rates: {},
    perMinute: "0.006",
  },
}

/** Prices of Anthropic's models, without the prices that all of them share. */
const ANTHROPIC: Readonly<Record<string, PublishedPrice>> = {
  "anthropic/claude-opus-5": {
    source:
      "platform.claude.com/docs/en/about-claude/pricing: $5 base, $6.25 5m writes, $10 1h writes, $0.50 hits, $25 output; vercel.com/ai-gateway/models/claude-opus-5-fast: fast $10 and $50",
    rates: { input: "5", write: "6.25", write1h: "10", cached: "0.50", output: "25" },
    tiers: { fast: TWICE },
  },
  "anthropic/claude-opus-5-5": {
    source:
      "platform.claude.com/docs/en/models/haiku-5-5/overview: $4 and $20; github.com/TheKrush/PromptFuel/releases/tag/v1.0.21 (2026-09-23): $5 5m writes, $8 1h writes, $0.20 cache reads, Fast $8 and $40",
    rates: { input: "4", write: "5", write1h: "8", cached: "0.20", output: "20" },
    tiers: { fast: TWICE },
  },
  "anthropic/claude-fable-5-1": {
    source:
      "platform.claude.com/docs/en/about-claude/pricing: $10 base, $12.50 5m writes, $20 1h writes, $0.25 hits, $50 output",
    rates: { input: "10", write: "12.50", write1h: "20", cached: "0.25", output: "50" },
  },
  "anthropic/claude-haiku-5-5": {
    source:
      "platform.claude.com/docs/en/models/haiku-5-5/overview: up to 100,000 tokens $0.10, $0.125 5m writes, $0.20 1h writes, $0.50 output; over 100,000 tokens $0.50, $0.625, 5 times, $2.50",
    rates: { input: "0.10", write: "0.125", write1h: "0.20", cached: "0.01", output: "0.50" },
    long: {
      from: 100_001,
      rates: { input: "0.50", write: "0.625", write1h: "1", cached: "0.05", output: "2.50" },
    },
  },
  "anthropic/claude-sonnet-4-6": {
    source:
      "platform.claude.com/docs/en/docs/about-claude/pricing: $3 base, $3.75 5m writes, $6 1h writes, $0.30 hits, $15 output",
    rates: { input: "3", write: "3.75", write1h: "6", cached: "0.30", output: "15" },
  },
}

const GOOGLE: Readonly<Record<string, PublishedPrice>> = {
  "google/gemini-3.8-flash": {
    source:
      "ai.google.dev/gemini-api/docs/pricing (2026-10-07): $0.75 and $3.75 through December 31, 2026, $1.50 and $7.50 starting January 1, 2027; search $14 per 1,000 requests; github.com/BerriAI/litellm/discussions/39357: cache reads $0.075, flex half the standard rate",
    rates: { input: "0.75", cached: "0.075", audio: "0.75", output: "3.75" },
    tiers: { flex: HALF },
    change: {
      from: "2027-01-01T00:00:00Z",
      rates: { input: "1.50", cached: "0.15", audio: "1.50", output: "7.50" },
    },
    perThousand: { search: "14" },
  },
  "google/gemini-3.1-pro-preview": {
    source:
      "ai.google.dev/gemini-api/docs/pricing (2026-09-20): $2.00 and $12.00, prompts <= 200k tokens; $4.00 and $18.00, prompts > 200k tokens; search $14 per 1,000 requests",
    rates: { input: "2", output: "12" },
    long: { from: 200_001, rates: { input: "4", output: "18" } },
    perThousand: { search: "14" },
  },
  "google/gemini-2.5-flash": {
    source:
      "ai.google.dev/gemini-api/docs/pricing (2026-09-20): $0.30 text, $1.00 audio; an undated copy of the page: output $2.50, context caching $0.03; Flex $0.15, $0.50 audio, $1.25, caching $0.03; Priority $0.54, $1.80 audio, $4.50, caching $0.054; $35 / 1,000 grounded prompts",
    rates: { input: "0.30", cached: "0.03", audio: "1", output: "2.50" },
    tiers: {
      flex: { input: "0.15", cached: "0.03", audio: "0.50", output: "1.25" },
      priority: { input: "0.54", cached: "0.054", audio: "1.80", output: "4.50" },
    },
    // A prompt costs the same for one search or several.
    perThousand: { groundedPrompt: "35" },
  },
  "google/gemini-2.5-pro": {
    source:
      "ai.google.dev/gemini-api/docs/pricing (2026-09-20): $1.25, prompts <= 200k tokens, $2.50, prompts > 200k tokens; deploybase.ai/articles/gemini-api-pricing: output $10 and $15, caching 90% less; an undated copy of the page: Flex $0.625 and $1.25, output $5.00 and $7.50, caching $0.125 and $0.25; Priority $2.25 and $4.50, output $18.00 and $27.00, caching $0.225 and $0.45",
    rates: { input: "1.25", cached: "0.125", output: "10" },
    long: { from: 200_001, rates: { input: "2.50", cached: "0.25", output: "15" } },
    tiers: {
      flex: {
        input: "0.625",
        cached: "0.125",
        output: "5",
        long: { from: 200_001, rates: { input: "1.25", cached: "0.25", output: "7.50" } },
      },
      priority: {
        input: "2.25",
        cached: "0.225",
        output: "18",
        long: { from: 200_001, rates: { input: "4.50", cached: "0.45", output: "27" } },
      },
    },
    perThousand: { groundedPrompt: "35" },
  },
}

/** Returns the price of a Perplexity model with its fees per thousand requests. */
function sonar(rates: Rates, perThousand: Readonly<Record<string, string>>): PublishedPrice {
  return { source: "docs.perplexity.ai/getting-started/pricing", rates, perThousand }
}

/** Perplexity's request fees are quoted, because its page shows them in a separate table. */
const OTHERS: Readonly<Record<string, PublishedPrice>> = {
  "deepseek/deepseek-flash": {
    source:
      "api-docs.deepseek.com/quick_start/pricing: cache hit $0.003 off-peak, $0.006 peak; cache miss $0.15, $0.3; output $0.6, $1.2; peak 01:00-04:00 and 06:00-10:00 UTC, Monday through Friday",
    rates: { input: "0.15", cached: "0.003", output: "0.6" },
    peak: { input: "0.3", cached: "0.006", output: "1.2" },
  },
  "deepseek/deepseek-v4-pro": {
    source:
      "api-docs.deepseek.com/quick_start/pricing: cache hit $0.022 off-peak, $0.044 peak; cache miss $0.66, $1.32; output $1.98, $3.96",
    rates: { input: "0.66", cached: "0.022", output: "1.98" },
    peak: { input: "1.32", cached: "0.044", output: "3.96" },
  },
  "xai/grok-4.7": {
    source:
      "docs.x.ai/developers/grok-4-7: $2.00 and $6.00; apidog.com/blog/how-to-use-grok-4-7-api: under 200k $2.00 / $0.50 / $6.00, 200k and above $4.00 / $1.00 / $12.00; openrouter.ai/x-ai/grok-4: $5/K web search",
    rates: { input: "2", cached: "0.50", output: "6" },
    long: { from: 200_000, rates: { input: "4", cached: "1", output: "12" } },
    perThousand: { search: "5" },
  },
  "groq/openai/gpt-oss-120b": {
    source:
      "console.groq.com/docs/models, quoted in github.com/braintrustdata/braintrust-proxy/issues/925: $0.15 input, $0.60 output",
    rates: { input: "0.15", output: "0.60" },
  },
  "groq/llama-3.3-70b-versatile": {
    source:
      "groq.com/pricing, quoted in lava.so/docs/gateway/providers/groq: $0.59 input, $0.79 output",
    rates: { input: "0.59", output: "0.79" },
  },
  "groq/whisper-large-v3": {
    source: "console.groq.com/docs/speech-to-text, quoted: $0.111 an hour; 10 s minimum billed",
    rates: {},
    perHour: "0.111",
    minimumSeconds: 10,
  },
  "mistral/mistral-medium-latest": {
    source:
      "docs.mistral.ai/inference/pricing (2026-09-29), as models.dev quotes it: $1.50 input, $0.15 cached, $7.50 output",
    rates: { input: "1.50", cached: "0.15", output: "7.50" },
  },
  "mistral/zai-glm-5-3": {
    source:
      "docs.mistral.ai/inference/model-selection-guide: input $1.4, cached input $0.14, output $4.4",
    rates: { input: "1.4", cached: "0.14", output: "4.4" },
  },
  "perplexity/sonar": sonar({ input: "1", output: "1" }, { low: "5", medium: "8", high: "12" }),
  "perplexity/sonar-pro": sonar(
    { input: "3", output: "15" },
    { low: "6", medium: "10", high: "14" },
  ),
  "perplexity/sonar-reasoning-pro": sonar(
    { input: "2", output: "8" },
    { low: "6", medium: "10", high: "14" },
  ),
  "perplexity/sonar-deep-research": {
    source:
      "docs.perplexity.ai/getting-started/pricing: $2 input, $2 citations, $8 output, $3 reasoning; $5 per 1K search queries",
    rates: { input: "2", output: "8", reasoning: "3" },
    perThousand: { search: "5" },
  },
}

export const PAGES: Readonly<Record<string, PublishedPrice>> = {
  ...OPENAI,
  ...Object.fromEntries(
    Object.entries(ANTHROPIC).map(([model, price]) => [model, ofAnthropic(price)]),
  ),
  ...GOOGLE,
  ...OTHERS,
}
