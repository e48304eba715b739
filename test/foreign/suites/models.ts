/** One model for each dialect of a vendor. */
export const MODELS: readonly string[] = ["echo", "gpt", "claude", "gemini", "nova", "command"].map(
  (name) => `sandbox/${name}`,
)
