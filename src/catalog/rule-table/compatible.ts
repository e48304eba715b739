import { MOONSHOT, type RuleRow, ZAI } from "./rule-row.ts"

/** Rules of vendors with OpenAI's chat format. */
export const COMPATIBLE_RULES: readonly RuleRow[] = [
  {
    vendors: ["openrouter"],
    applies: "all",
    rules: { max_user_length: 128 },
    source: "openrouter.ai/docs/api-reference/chat-completion",
  },
  {
    vendors: ["xai"],
    applies: "grok-3-mini, grok-4 and later, grok-code, without non-reasoning models",
    models: /^grok-(?:3-mini|[4-9]|code)(?!.*non-reasoning)/,
    rules: { rejected_parameters: ["presence_penalty", "frequency_penalty", "stop"] },
    source: "docs.x.ai/docs/guides/reasoning: not supported by reasoning models",
  },
  {
    vendors: ["openrouter"],
    applies: "image models of Gemini and gpt-5",
    models: /^(?:google\/gemini-|openai\/gpt-5).*image/,
    rules: { modalities: ["text", "image"] },
    source: "openrouter.ai/docs/features/multimodal/image-generation",
  },
  {
    vendors: ["deepseek", "groq", ...MOONSHOT, "xai", ...ZAI],
    applies: "all",
    rules: { max_tools: 128 },
    source:
      "api-docs.deepseek.com/api/create-chat-completion; console.groq.com/docs/api-reference; platform.moonshot.ai/docs/api/chat; docs.x.ai/docs/guides/function-calling; docs.z.ai/api-reference/llm/chat-completion",
  },
  {
    vendors: ["cerebras", "groq"],
    applies: "all",
    rules: { strict_requires_all: true },
    source:
      "console.groq.com/docs/structured-outputs: strict mode, all fields must be required; inference-docs.cerebras.ai/capabilities/structured-outputs",
  },
  {
    vendors: MOONSHOT,
    applies: "all",
    rules: { tool_name_starts_with_letter: true },
    source: "platform.moonshot.ai/docs/guide/use-kimi-api-to-complete-tool-calls: name",
  },
  {
    vendors: MOONSHOT,
    applies: "kimi-k2.5 and later",
    models: /^kimi-k(?:2\.[5-9]|[3-9])/,
    rules: {
      reasoning_history: true,
      rejected_parameters: ["temperature", "top_p", "presence_penalty", "frequency_penalty"],
      tool_choice_with_reasoning: false,
    },
    source:
      "platform.moonshot.ai/docs/api/models-overview: fixed values; its chat completions: invalid temperature: only 1 is allowed for this model",
  },
  {
    vendors: MOONSHOT,
    applies: "kimi-k2-thinking, kimi-k2.7-code, kimi-k3 and later",
    models: /^kimi-k(?:2-thinking|2\.7-code|[3-9])/,
    rules: { reasoning: "required" },
    source:
      "platform.moonshot.ai/docs/api/models-overview: models that always think; java.agentscope.io/v2/en/integration/model/kimi",
  },
  {
    vendors: ["minimax", "tencent"],
    applies: "MiniMax-M2",
    models: /^minimax-m2/i,
    rules: { reasoning: "required" },
    source:
      "www.tencentcloud.com/document/product/1300/80637: MiniMax-M2.5 and M2.7, cannot be disabled",
  },
  {
    vendors: ["volcengine"],
    applies: "doubao-seed",
    models: /^doubao-seed-/,
    rules: { rejected_parameters: ["logprobs", "stop"] },
    source: "www.volcengine.com/docs/82379/1494384: not supported by models that reason",
  },
  {
    vendors: ["volcengine"],
    applies: "doubao-seed-1.8 and 2.0",
    models: /^doubao-seed-(?:1-8|2-0)-/,
    rules: { rejected_parameters: ["logprobs", "stop", "presence_penalty", "frequency_penalty"] },
    source: "www.volcengine.com/docs/82379/1494384: models without support",
  },
  {
    vendors: ["deepseek"],
    applies: "models that think by default: v4 and later, flash, pro and reasoner",
    models: /^deepseek-(?:v[4-9]|flash|pro|reasoner)/,
    rules: { tool_choice_with_reasoning: false },
    source: "its chat completions: Thinking mode does not support this tool_choice",
  },
  {
    vendors: ["alibaba"],
    applies: "qwen3-max, qwen3.5 and later, qwen-plus, qwen-flash and qwen-turbo",
    models: /^qwen(?:3-max|3\.[5-9]|-plus|-flash|-turbo)/,
    rules: { reasoning_off: "enable_thinking" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking",
  },
  {
    vendors: ["alibaba"],
    applies: "all but qwen3.5 and later",
    models: /^(?!qwen3\.[5-9]|qwen[4-9])/,
    rules: { default_effort: "none" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking: default of enable_thinking",
  },
  {
    vendors: ["alibaba"],
    applies: "all",
    rules: { tool_choice_with_reasoning: false },
    source:
      "its chat completions: The tool_choice parameter does not support being set to required or object in thinking mode",
  },
  {
    vendors: ["cerebras", "fireworks", "groq", "openrouter"],
    applies: "all",
    rules: { schema_root_object: true },
    source:
      "inference-docs.cerebras.ai/capabilities/structured-outputs: the root must be an object",
  },
  {
    vendors: ["alibaba", "deepseek", "groq"],
    applies: "all",
    rules: { json_word_required: true },
    source:
      "api-docs.deepseek.com/guides/json_mode: include the word json; help.aliyun.com/zh/model-studio/json-mode; console.groq.com/docs/structured-outputs",
  },
  {
    vendors: ["deepseek", "xiaomi", ...ZAI],
    applies: "all",
    rules: { answer_formats: ["json_object"] },
    source:
      "api-docs.deepseek.com/guides/json_mode: This response_format type is unavailable now; platform.xiaomimimo.com/docs/en-US/api/chat/openai-api; docs.z.ai/guides/capabilities/struct-output",
  },
  {
    vendors: ["groq"],
    applies: "all but gpt-oss, kimi-k2 and llama-4",
    models: /^(?!openai\/gpt-oss|moonshotai\/kimi-k2|meta-llama\/llama-4)/,
    rules: { answer_formats: ["json_object"] },
    source: "console.groq.com/docs/structured-outputs#supported-models",
  },
  {
    vendors: ["perplexity"],
    applies: "all",
    rules: {
      answer_formats: ["json_schema"],
      turns_end_with_user: true,
      turns_alternate: true,
      turns_answer_results: true,
      instructions_first: true,
    },
    source:
      "docs.perplexity.ai/guides/structured-outputs; its chat completions: Last message must have role `user` or `tool`; after system messages, user and assistant messages should alternate",
  },
  {
    vendors: ["xiaomi", ...ZAI],
    applies: "all",
    rules: { tool_choice: false },
    source:
      "docs.z.ai/api-reference/llm/chat-completion: tool_choice, only auto; platform.xiaomimimo.com/docs/en-US/api/chat/openai-api: other values are removed",
  },
  {
    vendors: ["mistral"],
    applies: "all",
    rules: { turns_answer_results: true, prefill_field: "prefix" },
    source:
      "docs.mistral.ai/api: prefix; its chat completions, code 3230: Unexpected role 'user' after role 'tool'",
  },
  {
    vendors: [...MOONSHOT, "alibaba"],
    applies: "all",
    rules: { prefill_field: "partial" },
    source:
      "platform.moonshot.ai/docs/guide/use-partial-mode; help.aliyun.com/zh/model-studio/partial-mode",
  },
  {
    vendors: ["alibaba", ...MOONSHOT],
    applies: "all",
    rules: { reasoning_efforts: ["low", "medium", "high"] },
    source:
      "CLIProxyAPI#1307: xhigh is not supported; help.aliyun.com/zh/model-studio/deep-thinking",
  },
  {
    vendors: ZAI,
    applies: "GLM-4",
    models: /^glm-4/,
    rules: { reasoning_efforts: ["low", "medium", "high"] },
    source: "docs.z.ai/guides/capabilities/thinking-mode; GLM-5.3 takes max",
  },
  {
    vendors: ["alibaba"],
    applies: "all",
    rules: { reasoning_off: "enable_thinking" },
    source: "help.aliyun.com/zh/model-studio/deep-thinking: enable_thinking",
  },
  {
    vendors: ["groq"],
    applies: "all",
    rules: { max_images: 5 },
    source: "console.groq.com/docs/vision: at most 5 images",
  },
  {
    vendors: ["mistral"],
    applies: "all",
    rules: { max_images: 8 },
    source: "docs.mistral.ai/capabilities/vision: at most 8 images",
  },
  {
    vendors: ["openrouter"],
    applies: "all but models that are listed as reading PDF files",
    rules: { pdf_engine: "cloudflare-ai" },
    source:
      "openrouter.ai/docs/guides/overview/multimodal/pdfs: without an engine, files of models that cannot read them are parsed by mistral-ocr, for $2 per 1,000 pages",
  },
  {
    vendors: ["openrouter"],
    applies: "all",
    rules: { server_order: "price" },
    source:
      "openrouter.ai/docs/guides/routing/provider-routing: by default, a faster server can cost more and still be used",
  },
  {
    vendors: ["vercel"],
    applies: "all",
    rules: { server_order: "price" },
    source:
      "vercel.com/docs/ai-gateway/models-and-providers/provider-filtering-and-ordering: by default, servers are chosen by uptime and latency",
  },
]
