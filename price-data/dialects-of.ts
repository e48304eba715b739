import type { Dialect } from "./shape.ts"

interface DialectRule {
  vendors: string[]
  name: RegExp
  dialects: Dialect[]
}

const responses: Dialect[] = ["openai-responses"]
const chat: Dialect[] = ["openai-chat"]

/**
 * Models that their vendor offers only in some of its dialects, according to the endpoints on the vendors' model pages.
 * The first matching rule applies. A model without a matching rule is offered in all dialects.
 */
const dialectRules: DialectRule[] = [
  {
    vendors: ["openai", "azure"],
    name: /^o\d-pro|^gpt-5(\.\d)?-pro|codex|deep-research|^computer-use/,
    dialects: responses,
  },
  { vendors: ["openai", "azure"], name: /audio|search-preview|^gpt-3\.5/, dialects: chat },
  // For models that Azure resells, its OpenAI-style v1 endpoint guarantees only chat completions.
  { vendors: ["azure"], name: /^(?!gpt|o\d|chatgpt)/, dialects: chat },
  { vendors: ["xai"], name: /multi-agent/, dialects: responses },
  // These names from before version 4 are aliases. Documentation for them covers only DeepSeek's older endpoint.
  { vendors: ["deepseek"], name: /^deepseek-(chat|reasoner)$/, dialects: chat },
  { vendors: ["openrouter"], name: /audio/, dialects: chat },
]

/** Returns the dialects of a chat model; undefined if the model is offered in all dialects of its vendor. */
export function dialectsOf(vendor: string, name: string): Dialect[] | undefined {
  return dialectRules.find((rule) => rule.vendors.includes(vendor) && rule.name.test(name))
    ?.dialects
}
