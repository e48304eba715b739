// The name of each organization, by its names in lists and at vendors.
const organizations: Record<string, string> = {
  "meta-llama": "meta",
  "x-ai": "xai",
  "z-ai": "zai",
  "zai-org": "zai",
  alibaba: "qwen",
  "arcee-ai": "arcee",
  "bytedance-seed": "bytedance",
  "deepseek-ai": "deepseek",
  minimaxai: "minimax",
  mistralai: "mistral",
  moonshotai: "moonshot",
  sarvamai: "sarvam",
  "stepfun-ai": "stepfun",
  xiaomimimo: "xiaomi",
  zhipuai: "zai",
}

const families: [RegExp, string][] = [
  [/nemotron|nemoretriever/, "nvidia"],
  [/^(chat)?gpt|^o\d|^codex|^text-embedding|^whisper|^dall-e|^tts/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini|^gemma|^imagen/, "google"],
  [/^(meta-)?llama/, "meta"],
  [/^(open-)?mi[sx]tral|^(code|dev|magi|mini)stral|^(pix|vox)tral/, "mistral"],
  [/^deepseek/, "deepseek"],
  [/^q(wen|wq)/, "qwen"],
  [/^kimi/, "moonshot"],
  [/^(zai-)?glm/, "zai"],
  [/^grok/, "xai"],
  [/^phi-|^mai-/, "microsoft"],
  [/^cohere|^command|^embed-|^rerank-|^c4ai/, "cohere"],
  [/^minimax/, "minimax"],
]

/**
 * Returns the organization that made a model, judging by the model's name at the vendor or its base model in the lists.
 * `maker` is the vendor itself if it sells only its own models.
 */
export function ownerOf(
  name: string,
  base: string | undefined,
  maker: string | undefined,
): string | undefined {
  if (maker !== undefined) return maker
  const path = name.replace(/^~/, "").replace(/^accounts\/fireworks\/(models|routers)\//, "")
  const bare = path.toLowerCase()
  const regional = /^(?:(?:us|eu|au|jp|apac|global)\.)?([a-z0-9-]+)\.[a-z]/.exec(bare)
  const known = base?.split("/")[0] ?? (bare.includes("/") ? bare.split("/")[0] : undefined)
  const family = families.find(([pattern]) => pattern.test(bare))?.[1]
  const found = known ?? family ?? regional?.[1]
  return found === undefined ? undefined : (organizations[found] ?? found)
}
