interface ClassFacts {
  /** The class's name in settings, prices and receipts. */
  readonly name: string
  /** The unit: input tokens, output tokens, or individually counted units. */
  readonly counts: "input" | "output" | "units"
  /** The class whose rate applies if this class has no rate of its own. */
  readonly costsAs?: string
  /** Set if a vendor can set one price of this class for all of its models. */
  readonly isService?: true
}

/**
 * The only table of usage that is counted and priced, in the order of a receipt's lines. The classes never overlap, so
 * a cost is a plain sum over them.
 */
const TABLE = {
  /**
   * Input tokens that were neither read from nor written to a prompt cache, without audio and
   * images.
   */
  inputFresh: { name: "input", counts: "input" },
  /** Input tokens read from a prompt cache. */
  inputCacheRead: { name: "cached_input", counts: "input", costsAs: "inputFresh" },
  /** Input tokens written to a prompt cache that lives for up to 30 minutes. */
  inputCacheWrite: { name: "cache_write", counts: "input", costsAs: "inputFresh" },
  /** Input tokens written to a prompt cache that lives for an hour. */
  inputCacheWrite1h: { name: "cache_write_1h", counts: "input", costsAs: "inputCacheWrite" },
  /** Input tokens written to a prompt cache that lives for twelve hours. */
  inputCacheWrite12h: { name: "cache_write_12h", counts: "input", costsAs: "inputCacheWrite1h" },
  /** Output tokens including reasoning, without audio and images. */
  output: { name: "output", counts: "output" },
  /** Audio tokens in the input. */
  audioInput: { name: "audio_input", counts: "input", costsAs: "inputFresh" },
  /** Audio tokens in the input that were read from a prompt cache. */
  audioCacheRead: { name: "cached_audio_input", counts: "input", costsAs: "inputCacheRead" },
  /** Tokens of images in the input, if the vendor reports them separately. */
  imageInput: { name: "image_input", counts: "input", costsAs: "inputFresh" },
  /** Audio tokens in the output. */
  audioOutput: { name: "audio_output", counts: "output", costsAs: "output" },
  /** Tokens of images in the output. */
  imageOutput: { name: "image_output", counts: "output", costsAs: "output" },
  /** Reasoning tokens that a vendor counts separately from the output, at their own rate. */
  reasoningBeside: { name: "reasoning_output", counts: "output", costsAs: "output" },
  /** Generated images. */
  images: { name: "image", counts: "units", isService: true },
  /** Characters of generated speech. */
  characters: { name: "character", counts: "units" },
  /** Seconds of transcribed audio. */
  seconds: { name: "second", counts: "units" },
  /** Searches, as counted by rerankers, searching models and web search tools. */
  searches: { name: "search", counts: "units", isService: true },
  /** Searches of the more expensive kind, if a vendor has two kinds of searches. */
  premiumSearches: { name: "search_premium", counts: "units", isService: true },
  /** Searches of maps. */
  mapSearches: { name: "map_search", counts: "units", isService: true },
  /** Searches of files that are stored at the vendor. */
  fileSearches: { name: "file_search", counts: "units", isService: true },
  /** Sessions of a container that runs code, or code executions, as the vendor counts them. */
  codeSessions: { name: "code_session", counts: "units", isService: true },
  /** Requests, if a vendor charges for each request in addition to its tokens. */
  requests: { name: "request", counts: "units" },
  /** Requests whose response reports a medium amount of search results. */
  mediumRequests: { name: "request_medium", counts: "units", costsAs: "requests" },
  /** Requests whose response reports a low amount of search results. */
  lowRequests: { name: "request_low", counts: "units", costsAs: "requests" },
} as const satisfies Readonly<Record<string, ClassFacts>>

type Table = typeof TABLE

/** A class of usage that has a price. */
export type UsageClass = keyof Table

/** The name of a class in settings, prices and receipts. */
export type PriceName = Table[UsageClass]["name"]

/** The name of a class that a vendor can price for all of its models. */
export type ServicePriceName = Extract<Table[UsageClass], { readonly isService: true }>["name"]

/** The name of a class of tokens. */
export type TokenPriceName = Exclude<Table[UsageClass], { readonly counts: "units" }>["name"]

const FACTS: Readonly<
  Record<UsageClass, ClassFacts & { readonly name: PriceName; readonly costsAs?: UsageClass }>
> = TABLE

export const USAGE_CLASSES = Object.keys(TABLE) as readonly UsageClass[]

export const NAME_OF_CLASS = Object.fromEntries(
  USAGE_CLASSES.map((usageClass) => [usageClass, FACTS[usageClass].name]),
) as { readonly [Class in UsageClass]: Table[Class]["name"] }

export const CLASS_OF_NAME = Object.fromEntries(
  USAGE_CLASSES.map((usageClass) => [NAME_OF_CLASS[usageClass], usageClass]),
) as Readonly<Record<PriceName, UsageClass>>

export const PRICE_NAMES: readonly PriceName[] = Object.values(NAME_OF_CLASS)

export const SERVICE_PRICE_NAMES = PRICE_NAMES.filter(
  (name): name is ServicePriceName => FACTS[CLASS_OF_NAME[name]].isService === true,
)

/** The classes of input tokens, and of output tokens. */
export const INPUT_CLASSES = USAGE_CLASSES.filter((name) => FACTS[name].counts === "input")
export const OUTPUT_CLASSES = USAGE_CLASSES.filter((name) => FACTS[name].counts === "output")

export const TOKEN_PRICE_NAMES = PRICE_NAMES.filter(
  (name): name is TokenPriceName => FACTS[CLASS_OF_NAME[name]].counts !== "units",
)

/** Returns the class whose rate applies to a class without a rate; undefined if the class is free in that case. */
export function fallbackOf(usageClass: UsageClass): UsageClass | undefined {
  return FACTS[usageClass].costsAs
}
