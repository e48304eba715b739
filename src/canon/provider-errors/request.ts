import type { ProviderErrorRule } from "./rule.ts"

/** Errors that the request itself causes: its content, length, files, and the account's limits for such requests. */
export const REQUEST_ERRORS: readonly ProviderErrorRule[] = [
  {
    kind: "content_filter",
    codes: [
      "content_filter",
      "content_policy_violation",
      "moderation_blocked",
      "image_content_policy_violation",
      "data_inspection_failed",
      "datainspectionfailed",
      "responsibleaipolicyviolation",
    ],
    source:
      "OpenAI, image guide; Azure OpenAI, content filtering; Alibaba Cloud Model Studio, error codes",
  },
  {
    kind: "content_filter",
    statuses: [400, 403],
    message: /^content violates usage guidelines/i,
    source: "xAI: sub2api#5359 (403 `permission-denied`)",
  },
  {
    kind: "content_filter",
    statuses: [403],
    message: /^\S+ requires moderation on .*your input was flagged/i,
    source: "OpenRouter, errors: 403 for flagged input",
  },
  {
    kind: "context_length",
    codes: [
      "context_length_exceeded",
      "exceed_context_size_error",
      "model_context_window_exceeded",
    ],
    source: "OpenAI, error codes; llama.cpp (recorded)",
  },
  {
    kind: "capacity",
    codes: ["throttlingexception", "toomanyrequestsexception", "servicequotaexceededexception"],
    source: "Bedrock, Converse; with `Too many tokens per day` too",
  },
  {
    kind: "context_length",
    statuses: [400, 413, 422],
    message:
      /^(?:this model's maximum context length is|prompt (?:is )?too long\b|input length and `max_tokens` exceed context limit|the input token count \(?\d+\)? exceeds|request \(\d+ tokens\) exceeds the available context size|range of input length should be|input is too long for requested model|too many tokens\b|please reduce the length of the messages)/i,
    source:
      "vLLM and DeepSeek (recorded); Anthropic, errors; Ollama (recorded); Google; llama.cpp (recorded); Alibaba Cloud; Bedrock; Cohere; Groq",
  },
  {
    kind: "content_filter",
    message: /^(?:input|output) new_sensitive/i,
    source: "MiniMax, error codes 1026 and 1027: 200",
  },
  {
    kind: "request",
    codes: ["external_connector_error"],
    source: "OpenAI, MCP servers of callers: 424, agentgateway#383, what-iff#116",
  },
  {
    kind: "request",
    codes: ["conversation_locked"],
    source: "OpenAI, conversations: 409 for parallel requests in one",
  },
  {
    kind: "request",
    statuses: [400, 403, 404],
    message:
      /^(?:you do not have permission to access the file \S+ or it may not exist|cachedcontent not found)/i,
    source: "Gemini: deprecated-generative-ai-python#692 (403)",
  },
  {
    kind: "request",
    codes: ["voice_not_found", "voice_does_not_exist"],
    source: "ElevenLabs: 400 or 404, elevenlabs-python#293",
  },
  {
    kind: "allowance",
    statuses: [413, 429],
    message: /^request too large for/i,
    source: "Groq: ha-groq-cloud-api#27 (413); OpenAI: continue#10602 (429)",
  },
  {
    kind: "allowance",
    statuses: [402],
    message:
      /^(?:this request requires more credits, or fewer max_tokens|prompt tokens limit exceeded)/i,
    source: "OpenRouter: qwen-code#73, opencode#12219. Smaller requests are served",
  },
  {
    kind: "allowance",
    statuses: [404],
    message: /^no endpoints found (?:that |matching )/i,
    source: "OpenRouter: 404 for a request whose features no endpoint of the model has",
  },
  {
    kind: "allowance",
    statuses: [401, 402],
    message: /^(?:free users cannot use library voices|this request exceeds your quota)/i,
    source: "ElevenLabs: dograh#290 (402). Other voices and shorter texts are served",
  },
  {
    kind: "allowance",
    statuses: [429],
    message: /^extra usage is required for long context requests/i,
    source: "Anthropic: 429 for long contexts only",
  },
  {
    kind: "allowance",
    statuses: [400],
    message:
      /^(?:the long context beta is not yet available for this subscription|previous response cannot be used for this organization|[`']?service[_ ]tier[`']? \S+ is not available for this org)/i,
    source:
      "Anthropic: 400 for long contexts only; OpenAI: zero data retention; Groq: hindsight#89. Other requests are served",
  },
  {
    kind: "capacity",
    statuses: [429],
    message:
      /^(?:allocated quota exceeded|requests? rate limit exceeded|request rate increased too quickly)/i,
    source: "Alibaba Cloud Model Studio, error codes: 429 `insufficient_quota` is a rate there",
  },
]
