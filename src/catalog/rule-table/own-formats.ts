import type { RuleRow } from "./rule-row.ts"

const CLAUDE_VENDORS = ["anthropic", "azure", "bedrock", "vertex"]
const NUMBER_KEYWORDS = [
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "multipleOf",
  "uniqueItems",
] as const

/** Rules of vendors with their own formats, and of their models at other vendors. */
export const OWN_FORMAT_RULES: readonly RuleRow[] = [
  {
    vendors: ["google", "vertex"],
    applies: "image models",
    models: /^gemini-.*image/,
    rules: { modalities: ["text", "image"] },
    source: "ai.google.dev/gemini-api/docs/image-generation",
  },
  {
    vendors: ["google", "vertex"],
    applies: "speech models",
    models: /^gemini-.*tts/,
    rules: { modalities: ["audio"] },
    source: "ai.google.dev/gemini-api/docs/speech-generation",
  },
  {
    vendors: ["anthropic"],
    applies: "all",
    rules: { max_user_length: 256 },
    source: "platform.claude.com/docs/en/api/messages: metadata.user_id, at most 256",
  },
  {
    vendors: CLAUDE_VENDORS,
    applies: "Claude",
    models: /claude/,
    rules: {
      max_tool_name_length: 128,
      tool_name_characters: ["-"],
      max_cache_marks: 4,
      max_images: 100,
    },
    source:
      "platform.claude.com/docs/en/api/messages: tools.name; prompt-caching: at most 4 breakpoints; vision: at most 100 images",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    applies: "Claude",
    models: /claude/,
    rules: {
      schema_as_tool: true,
      schema_root_object: true,
      schema_described_keywords: NUMBER_KEYWORDS,
      schema_rejected_keywords: ["if", "not", "patternProperties", "prefixItems"],
      schema_closed_objects: true,
      schema_recursion: false,
      max_strict_tools: 20,
    },
    source:
      "platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
  },
  {
    vendors: ["anthropic", "azure", "vertex"],
    applies: "Claude 3 and 4, without 4.1 and later",
    models: /claude-(?:3|(?:opus|sonnet)-4(?!-[1-9](?!\d)))/,
    rules: { answer_formats: [] },
    source: "platform.claude.com/docs/en/build-with-claude/structured-outputs: supported models",
  },
  {
    vendors: ["bedrock"],
    applies: "all",
    rules: {
      max_tool_name_length: 64,
      tool_name_characters: ["-"],
      schema_root_object: true,
      max_images: 20,
    },
    source:
      "docs.aws.amazon.com/bedrock/latest/APIReference: ToolSpecification; ToolInputSchema; Message, at most 20 images",
  },
  {
    vendors: [...CLAUDE_VENDORS, "openrouter"],
    applies: "Claude 4.6 and later",
    models: /claude-(?:fable|mythos|(?:opus|sonnet|haiku)-(?:4[-.][678]|[5-9])(?!\d))/,
    rules: { turns_end_with_user: true },
    source:
      "its messages: This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    vendors: ["google", "vertex"],
    applies: "all but Claude",
    models: /^(?!.*claude)/,
    rules: {
      max_tool_name_length: 64,
      tool_name_characters: [".", ":", "-"],
      tool_name_starts_with_letter: true,
    },
    source:
      "ai.google.dev/api/caching#FunctionDeclaration: name, at most 64 characters; its generateContent: Must start with a letter or an underscore",
  },
  {
    vendors: ["google"],
    applies: "Gemini, without 2.0",
    models: /gemini-(?!2\.0)/,
    rules: { rejected_parameters: ["logprobs"] },
    source: "python-genai#1921, langchain-google#1266: Logprobs is not enabled",
  },
  {
    vendors: ["vertex"],
    applies: "Gemini 3 and later",
    models: /gemini-(?:[3-9]|\d\d)/,
    rules: { rejected_parameters: ["logprobs"] },
    source: "GoogleCloudPlatform/generative-ai#2947: Logprobs is not supported for this model",
  },
  {
    vendors: ["cohere"],
    applies: "all",
    rules: { tool_name_characters: [], schema_root_object: true },
    source:
      "docs.cohere.com/docs/structured-outputs: the top level has to be an object; docs.cohere.com/reference/errors: names of tools have letters, digits and _, and begin with no digit",
  },
]
