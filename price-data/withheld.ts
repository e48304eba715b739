interface Withheld {
  vendor: string
  name: RegExp
  reason: string
}

/**
 * Names that genai-prices matches exactly but that are not added to a vendor's list. genai-prices keeps every name and
 * does not mark withdrawn models. models.dev removes withdrawn models from its list, so an older model that is missing
 * there is treated as withdrawn.
 */
const withheldNames: Withheld[] = [
  { vendor: "anthropic", name: /^claude-(v?[123]|3-)/, reason: "withdrawn" },
  { vendor: "anthropic", name: /^claude-(opus|sonnet)-4$/, reason: "not a whole name" },
  { vendor: "cohere", name: /^command/, reason: "withdrawn, or not a whole name" },
  { vendor: "deepseek", name: /./, reason: "resellers' names; the vendor has no such names" },
  { vendor: "google", name: /^claude/, reason: "sold by vertex only" },
  { vendor: "google", name: /^gemini-(pro|flash)|^gemini-[12]\./, reason: "withdrawn" },
  { vendor: "google", name: /^gemma|-text-preview$/, reason: "not a whole name" },
  { vendor: "hyperbolic", name: /-fast$/, reason: "a name of the router that resells it" },
  { vendor: "mistral", name: /(?<!-2(508|512))$/, reason: "withdrawn, or a reseller's name" },
  { vendor: "moonshot", name: /^kimi-k2$/, reason: "not a whole name" },
  { vendor: "openai", name: /^(text-)?(ada|babbage|curie|davinci)/, reason: "withdrawn" },
  { vendor: "openai", name: /^chatgpt|^codex-mini|^computer-use/, reason: "withdrawn" },
  {
    vendor: "openai",
    name: /^gpt-3\.?5-?(turbo-)?(03|06|11|16|instruct|turbo$)/,
    reason: "withdrawn",
  },
  {
    vendor: "openai",
    name: /^gpt-4-(0314|32k|.*preview)|^gpt-4\.5|^o1-(mini|preview)/,
    reason: "withdrawn",
  },
  {
    vendor: "openai",
    name: /^gpt-35|^gpt-\d-\d(?!\d{3})|:|\.ft-|-high$/,
    reason: "others' spelling",
  },
  {
    vendor: "openai",
    name: /^gpt-5(\.\d)?-chat$|^gpt-5\.3$|^gpt-5\.1-mini$/,
    reason: "others' spelling",
  },
  { vendor: "openai", name: /^text-embedding-ada(-002-v2)?$/, reason: "others' spelling" },
  // The price of audio tokens in the list is the price of text tokens.
  {
    vendor: "openai",
    name: /^gpt-4o-(mini-)?audio-preview/,
    reason: "a price that cannot be right",
  },
  {
    vendor: "openai",
    name: /-search-(preview|api)/,
    reason: "each search costs extra, by no known price",
  },
  { vendor: "perplexity", name: /./, reason: "withdrawn" },
  { vendor: "xai", name: /^x-ai\//, reason: "others' spelling" },
  {
    vendor: "xai",
    name: /^grok-([23]|4(?!\.[3-9])|code)/,
    reason: "withdrawn, or others' spelling",
  },
]

/** Names in models.dev that cannot be called in any dialect that the gateway uses with their vendor. */
const unreachableNames: Withheld[] = [
  { vendor: "azure", name: /^(claude|FLUX|MAI-Image)/i, reason: "only on a separate endpoint" },
  { vendor: "azure", name: /^ada$/, reason: "not a whole name" },
  { vendor: "azure", name: /^gpt-3\.5-turbo-instruct$/, reason: "legacy completions only" },
  { vendor: "bedrock", name: /^openai\.gpt-\d/, reason: "behind the mantle endpoint only" },
  {
    vendor: "bedrock",
    name: /^claude|^us-gov\./,
    reason: "not a name in the regions for everyone",
  },
  {
    vendor: "bedrock",
    name: /twelvelabs|multimodal|titan-embed-image/,
    reason: "a form of requests that the gateway does not write",
  },
  { vendor: "bedrock", name: /titan-image/, reason: "withdrawn" },
  // The token prices in the list are actually prices per step or per image.
  {
    vendor: "fireworks",
    name: /flux|SSD|diffusion|playground/,
    reason: "a price that cannot be right",
  },
  { vendor: "fireworks", name: /^(?!accounts\/)/, reason: "another gateway's short name" },
  {
    vendor: "cloudflare",
    name: /indictrans|m2m100|bart-|distilbert/,
    reason: "only on a separate endpoint",
  },
  { vendor: "together", name: /^together-ai-/, reason: "a price of a size, not a model" },
  {
    vendor: "vertex",
    name: /^chirp|^multimodal|^virtual-|^text-embedding-(004|large|preview)/,
    reason: "withdrawn, or a form of requests that the gateway does not write",
  },
  // github.com/theopenco/llmgateway/pull/4173 and anomalyco/models.dev/pull/6679: withdrawn on 2026-10-21 and
  // 2026-09-08.
  { vendor: "xiaomi", name: /^mimo-v2\.5/, reason: "withdrawn" },
  { vendor: "vertex", name: /^claude-|\//, reason: "not offered as Google's own models are" },
]

/** Returns the reason why a listed name is omitted; undefined if the name is used. */
export function unreachableReason(vendor: string, name: string): string | undefined {
  return unreachableNames.find((entry) => entry.vendor === vendor && entry.name.test(name))?.reason
}

/** Returns the reason why a name that only genai-prices contains is not added; undefined if the name may be added. */
export function withheldReason(vendor: string, name: string): string | undefined {
  return withheldNames.find((entry) => entry.vendor === vendor && entry.name.test(name))?.reason
}

/** Prices in genai-prices that are not used. */
const distrusted: Withheld[] = [
  { vendor: "*", name: /-latest$/, reason: "the alias has moved on since the record was written" },
  { vendor: "azure", name: /^phi-/, reason: "the record carries a reseller's price" },
  {
    vendor: "openai",
    name: /^gpt-4o-2024-05-13$/,
    reason: "the first snapshot kept a higher price",
  },
]

/** Returns the reason why the price of a model in genai-prices is not used; undefined if it is used. */
export function distrustReason(vendor: string, name: string): string | undefined {
  return distrusted.find(
    (entry) => (entry.vendor === "*" || entry.vendor === vendor) && entry.name.test(name),
  )?.reason
}
