/**
 * The one table of what is counted and priced: each class of usage by the name that settings, prices and receipts
 * have for it, in the order of a receipt's lines.
 */
export const NAME_OF_CLASS = {
  inputFresh: "input",
  inputCacheRead: "cached_input",
  inputCacheWrite: "cache_write",
  inputCacheWriteLong: "cache_write_1h",
  output: "output",
  audioInput: "audio_input",
  audioCacheRead: "cached_audio_input",
  imageInput: "image_input",
  audioOutput: "audio_output",
  reasoningBeside: "reasoning_output",
  images: "image",
  characters: "character",
  seconds: "second",
  searches: "search",
  premiumSearches: "search_premium",
  mapSearches: "map_search",
  fileSearches: "file_search",
  codeSessions: "code_session",
  requests: "request",
} as const

/** A class of usage that has a price. */
export type UsageClass = keyof typeof NAME_OF_CLASS

/** What a class is called outside. */
export type PriceName = (typeof NAME_OF_CLASS)[UsageClass]

export const USAGE_CLASSES = Object.keys(NAME_OF_CLASS) as readonly UsageClass[]
export const PRICE_NAMES: readonly PriceName[] = Object.values(NAME_OF_CLASS)

export const CLASS_OF_NAME = Object.fromEntries(
  USAGE_CLASSES.map((usageClass) => [NAME_OF_CLASS[usageClass], usageClass]),
) as Readonly<Record<PriceName, UsageClass>>
