/**
 * Vendors by the names of their own models. Among several providers of a model, those at these vendors come first, in
 * this order.
 */
const ORIGINAL_VENDORS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^claude-/, ["anthropic"]],
  [/^(?:gemini|gemma|imagen|veo)-|^text-embedding-0\d+$/, ["google", "vertex"]],
  [
    /^(?:gpt|chatgpt|codex|dall-e|tts|text-embedding|computer-use|omni-moderation)-|^o\d|^whisper-1$/,
    ["openai", "azure"],
  ],
  [
    /^(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mi[sx]tral)-/,
    ["mistral"],
  ],
  [/^(?:command|c4ai|cohere|embed)-|^rerank-(?:v|english|multilingual)/, ["cohere"]],
  [/^(?:amazon\.|nova-)/, ["bedrock"]],
  [/^deepseek-/, ["deepseek"]],
  [/^grok-/, ["xai"]],
  [/^(?:kimi|moonshot)-/, ["moonshot", "moonshot-cn"]],
  [/^glm-/, ["zai", "zhipu"]],
  [/^minimax-/i, ["minimax"]],
  [/^doubao-/, ["volcengine"]],
  [/^hy\d|^hunyuan-/, ["tencent"]],
  [/^step-/, ["stepfun"]],
  [/^mimo-/, ["xiaomi"]],
  [/^(?:sonar|pplx-)/, ["perplexity"]],
  [/^(?:voyage-|rerank-\d)/, ["voyage"]],
  [/^jina-/, ["jina"]],
  [/^eleven_/, ["elevenlabs"]],
]

/** Returns the vendors that make a model, with the preferred one first; empty if unknown. */
export function originalVendors(name: string): readonly string[] {
  return ORIGINAL_VENDORS.find(([names]) => names.test(name))?.[1] ?? []
}
