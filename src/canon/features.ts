/**
 * Features that a caller can request and a dialect may lack. Losses are reported under these names.
 * docs/reference/losses.md is generated from this table and each dialect's `expresses` and `supports`.
 */
export const FEATURES = {
  max_tokens: "a limit on the output",
  temperature: "a temperature in any range",
  top_p: "nucleus sampling",
  top_k: "sampling among the k most likely tokens",
  stop: "stop strings",
  seed: "a seed",
  n: "several choices; if an upstream supports only one, the gateway calls it several times",
  presence_penalty: "a presence penalty",
  frequency_penalty: "a frequency penalty",
  logprobs: "log probabilities of the output",
  tools: "functions that the model may call",
  "tools.strict": "arguments that follow the schema strictly",
  "tools.grammar":
    "a grammar for the text of a custom tool; if an upstream has only functions, the grammar becomes a description",
  tool_choice: "which tool must be called, if any",
  parallel_tool_calls: "whether several calls may be made at once",
  "tool_result.media": "images, audio and files in a tool result",
  "tool_result.failed": "the mark that a tool failed",
  json_object: "a response that is a JSON object",
  json_schema: "a response that follows a JSON schema",
  reasoning_effort: "the amount of reasoning, in words",
  reasoning_budget: "the amount of reasoning, in tokens",
  reasoning: "reasoning of earlier turns, as text",
  "reasoning.signature": "reasoning of earlier turns, signed or encrypted by its provider",
  system: "instructions ahead of the conversation",
  "system.position": "instructions in the middle of the conversation",
  name: "names of the speakers",
  "image.url": "images by URL; the gateway fetches them if an upstream accepts no URLs",
  "image.data": "images as base64",
  "image.detail": "level of detail of an image",
  audio: "audio in the prompt",
  "output.image": "images in the response, from a model that generates them",
  image_config: "the aspect ratio and the size of images in the response",
  "output.audio": "audio in the response, from a model that generates it",
  "assistant.image":
    "images of earlier responses; sent in the user's turn if an upstream accepts no images in assistant turns",
  "file.url": "files by URL; the gateway fetches them if an upstream accepts no URLs",
  "file.data": "files, such as PDFs, as base64",
  refusal: "refusals of earlier turns, separate from text",
  cache_control: "markers at the end of the cached parts of a prompt",
  prompt_cache_key: "a key that similar prompts share for caching",
  verbosity: "the length of the response",
  user: "the id of the end user",
  safety_identifier: "the id of the end user, for the provider's abuse detection",
  metadata: "names and values that are stored with the request",
  service_tier: "the provider's class of service",
} as const satisfies Record<string, string>

/** The name of a feature that a caller can request. */
export type Feature = keyof typeof FEATURES

/** How well a dialect supports a feature. */
export type Support = "carried" | "approximated" | "dropped"
