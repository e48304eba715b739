import type { Dialect } from "./shape.ts"

interface DialectRule {
  vendors: string[]
  name: RegExp
  dialects: Dialect[]
}

const responses: Dialect[] = ["openai-responses"]
const chat: Dialect[] = ["openai-chat"]

/**
 * Models that their vendor offers only in some of its dialects. The first rule that matches decides; a model without a
 * matching rule is offered in all. From the endpoints that the vendors' model pages list.
 */
const dialectRules: DialectRule[] = [
  {
    vendors: ["openai", "azure"],
    name: /^o\d-pro|^gpt-5(\.\d)?-pro|codex|deep-research|^computer-use/,
    dialects: responses,
  },
  { vendors: ["openai", "azure"], name: /audio|search-preview|^gpt-3\.5/, dialects: chat },
  // For models that Azure resells, its OpenAI-style v1 endpoint only guarantees chat completions.
  { vendors: ["azure"], name: /^(?!gpt|o\d|chatgpt)/, dialects: chat },
  { vendors: ["xai"], name: /multi-agent/, dialects: responses },
  // The names from before version 4 are aliases that only its older endpoint is documented for.
  { vendors: ["deepseek"], name: /^deepseek-(chat|reasoner)$/, dialects: chat },
  { vendors: ["openrouter"], name: /audio/, dialects: chat },
]

/** Returns the dialects of a chat model; undefined if it is offered in all dialects of its vendor. */
export function dialectsOf(vendor: string, name: string): Dialect[] | undefined {
  return dialectRules.find((rule) => rule.vendors.includes(vendor) && rule.name.test(name))
    ?.dialects
}
