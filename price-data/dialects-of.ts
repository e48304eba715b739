import type { Dialect } from "./shape.ts"

interface DialectRule {
  vendors: string[]
  name: RegExp
  dialects: Dialect[]
}

const responses: Dialect[] = ["openai-responses"]
const chat: Dialect[] = ["openai-chat"]

/**
 * Models that their vendor offers in fewer dialects than it speaks. The first rule that matches decides; a
 * model that matches none is offered in all. From the endpoints that the vendors' model pages list.
 */
const dialectRules: DialectRule[] = [
  {
    vendors: ["openai", "azure"],
    name: /^o\d-pro|^gpt-5(\.\d)?-pro|codex|deep-research|^computer-use/,
    dialects: responses,
  },
  { vendors: ["openai", "azure"], name: /audio|search-preview|^gpt-3\.5/, dialects: chat },
  // Of what Azure resells, its OpenAI-style v1 endpoint only promises chat completions.
  { vendors: ["azure"], name: /^(?!gpt|o\d|chatgpt)/, dialects: chat },
  { vendors: ["xai"], name: /multi-agent/, dialects: responses },
  // The names from before version 4 are aliases that only its older endpoint is documented for.
  { vendors: ["deepseek"], name: /^deepseek-(chat|reasoner)$/, dialects: chat },
  { vendors: ["openrouter"], name: /audio/, dialects: chat },
]

/** The dialects a chat model is offered in, or undefined where that is all its vendor speaks. */
export function dialectsOf(vendor: string, name: string): Dialect[] | undefined {
  return dialectRules.find((rule) => rule.vendors.includes(vendor) && rule.name.test(name))
    ?.dialects
}
