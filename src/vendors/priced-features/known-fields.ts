import type { DialectId } from "../../canon/extra.ts"

/** Fields without a separate price, although their names suggest an effect on the bill. */
export interface KnownFields {
  /**
   * Paths without the brackets of lists. The members of a value are checked too, unless the path ends in `.**`. Values
   * of such paths are data of the caller.
   */
  readonly paths: readonly string[]
  /** Members with conversations and tools. In their values, the names in `contentNames` are known at any depth. */
  readonly contents: readonly string[]
  readonly contentNames: readonly string[]
  /** Members within contents whose values are data of the caller or of a model. */
  readonly data: readonly string[]
  /** The roles of messages whose names are not checked, except for options. */
  readonly roles: readonly string[]
}

const OPENAI_CONTENT_NAMES = [
  "allowed_tools",
  "connector_id",
  "hybrid_search",
  "max_num_results",
  "max_output_length",
  "model",
  "region",
  "search_content_types",
  "search_context_size",
  "skill_id",
  "skills",
  "tool_call_id",
  "tool_calls",
  "tool_names",
  "tools",
  "vector_store_ids",
] as const

const OPENAI_DATA = [
  "annotations",
  "arguments",
  "filters",
  "function_call",
  "headers",
  "input_schema",
  "metadata",
  "outputSchema",
  "output_schema",
  "parameters",
  "schema",
  "user_location",
] as const

const OPENAI_SHARED = [
  "max_tool_calls",
  "metadata.**",
  "model",
  "moderation.model",
  "parallel_tool_calls",
  "thinking.budget_tokens",
  "tool_choice.**",
] as const

const OPENAI_ROLES = ["assistant", "developer", "function", "system", "tool", "user"] as const

/**
 * Fields that the gateway reads itself, or that are documented to have no separate price, by dialect. They are known at
 * every vendor. Fields of single vendors are in the tables of these vendors.
 */
export const KNOWN_FIELDS: Readonly<Record<DialectId, KnownFields>> = {
  "openai-chat": {
    paths: [
      ...OPENAI_SHARED,
      "chat_template_kwargs.**",
      "documents.**",
      "functions.description",
      "functions.name",
      "functions.parameters.**",
      "functions.strict",
      "max_completion_tokens",
      "max_tokens",
      "n",
      "prediction.**",
      "reasoning.max_tokens",
      "response_format.**",
      "stream_options.**",
      "tool_stream",
    ],
    contents: ["messages", "tools"],
    contentNames: OPENAI_CONTENT_NAMES,
    data: OPENAI_DATA,
    roles: OPENAI_ROLES,
  },
  "openai-responses": {
    paths: [
      ...OPENAI_SHARED,
      "client_metadata.**",
      "max_output_tokens",
      "prompt.variables.**",
      "text.format.**",
    ],
    contents: ["input", "tools"],
    contentNames: [...OPENAI_CONTENT_NAMES, "agent", "max_tokens", "search_type"],
    data: [...OPENAI_DATA, "action", "output", "queries", "results", "searches"],
    roles: OPENAI_ROLES,
  },
  "anthropic-messages": {
    paths: [
      "context_management.edits.clear_tool_inputs",
      "context_management.edits.exclude_tools",
      "fallback_credit_token",
      "max_tokens",
      "max_tool_calls",
      "metadata.**",
      "model",
      "output_config.format.**",
      "output_config.task_budget",
      "output_format.**",
      "thinking.budget_tokens",
      "tool_choice.**",
    ],
    contents: ["messages", "system", "tools"],
    contentNames: [
      "client_tool_results",
      "max_content_tokens",
      "max_tokens",
      "mcp_server_name",
      "model",
      "num_lines",
      "region",
      "retrieved_at",
      "search_result_index",
      "server_tool_results",
      "tool",
      "tool_changes",
      "tool_id",
      "tool_name",
      "tool_references",
      "tool_use_id",
      "tools",
      "toolset_name",
    ],
    data: ["input", "input_examples", "input_schema", "user_location"],
    roles: ["assistant", "system", "user"],
  },
  gemini: {
    paths: [
      "generationConfig.candidateCount",
      "generationConfig.imageConfig.imageOutputOptions",
      "generationConfig.maxOutputTokens",
      "generationConfig.responseJsonSchema.**",
      "generationConfig.responseSchema.**",
      "generationConfig.thinkingConfig.thinkingBudget",
      "generationConfig.thinkingConfig.thinking_budget",
      "labels.**",
      "model",
      "toolConfig.**",
      // Each member of a tool is itself a tool, which needs a price.
      "tools.**",
    ],
    contents: ["contents", "systemInstruction"],
    contentNames: ["codeExecutionResult", "toolCall", "toolResponse", "toolType"],
    data: ["args", "functionCall", "functionResponse"],
    // Media in messages of every role can set a number of tokens.
    roles: [],
  },
  "bedrock-converse": {
    paths: [
      "additionalModelRequestFields.output_config.task_budget",
      "additionalModelRequestFields.reasoningConfig.maxReasoningEffort",
      "additionalModelRequestFields.reasoning_config.budget_tokens",
      "additionalModelRequestFields.thinking.budget_tokens",
      "additionalModelRequestFields.tool_choice.**",
      "additionalModelRequestFields.tools.**",
      "additionalModelResponseFieldPaths",
      "inferenceConfig.maxTokens",
      "modelId",
      "model",
      "outputConfig.**",
      "promptVariables.**",
      "requestMetadata.**",
      // Each member of a tool is itself a tool, which needs a price.
      "toolConfig.toolChoice.**",
      "toolConfig.tools.**",
    ],
    contents: ["messages", "system"],
    contentNames: [
      "s3Location",
      "searchResult",
      "searchResultIndex",
      "toolResult",
      "toolUse",
      "toolUseId",
    ],
    data: ["input", "json"],
    roles: ["assistant", "user"],
  },
  "cohere-chat": {
    paths: [
      "documents.**",
      "max_tokens",
      "model",
      "priority",
      "response_format.**",
      "strict_tools",
      "thinking.token_budget",
      "tool_choice",
    ],
    contents: ["messages", "tools"],
    contentNames: ["tool_call_id", "tool_calls", "tool_plan"],
    data: ["arguments", "parameters", "document"],
    roles: ["assistant", "system", "tool", "user"],
  },
}

/** Fields of operations other than chat, in addition to those that the gateway reads itself. */
export const OPERATION_FIELDS: KnownFields = {
  paths: [
    "max_chunks_per_doc",
    "max_tokens_per_doc",
    "metadata.**",
    "num_inference_steps",
    "num_speakers",
    "optimize_streaming_latency",
    "priority",
    "search",
    "voice_settings.speed",
  ],
  contents: [],
  contentNames: [],
  data: [],
  roles: [],
}
