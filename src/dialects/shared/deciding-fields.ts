/**
 * Request fields on which a price, a limit, a permission or a route depends at some vendor, in addition to fields that
 * each format reads itself. Servers written in Go ignore the case of names, so every other spelling of these names is
 * rejected.
 */
export const DECIDING_FIELDS: readonly string[] = [
  // Fields with the model, and with models that may answer in its place.
  "model",
  "models",
  "fallbacks[].model",
  "fallbacks[].speed",
  "fallbacks[].max_tokens",
  "preset",
  "route",
  "compound_custom",
  "cache_control",
  // Fields of routers.
  "provider.order",
  "provider.only",
  "provider.ignore",
  "provider.quantizations",
  "provider.preferred_min_throughput",
  "provider.preferred_max_latency",
  "provider.sort",
  "provider.max_price",
  "providerOptions.gateway.models",
  "providerOptions.gateway.order",
  "providerOptions.gateway.only",
  "providerOptions.gateway.sort",
  "providerOptions.gateway.speed",
  "providerOptions.gateway.tags",
  "providerOptions.gateway.user",
  "providerOptions.gateway.serviceTier",
  "providerOptions.anthropic.speed",
  "providerOptions.openai.serviceTier",
  // Fields that determine the amount of output.
  "n",
  "best_of",
  "stream",
  "stream_options.include_usage",
  "reasoning.max_tokens",
  "reasoning.mode",
  "thinking.type",
  // Fields with the class of service.
  "service_tier",
  "speed",
  "inference_geo",
  // Fields with tools and plugins that the vendor runs.
  "tools",
  "functions",
  "max_tool_calls",
  "web_search_options.mode",
  "web_search_options.search_type",
  "web_search_options.x_search",
  "plugins[].id",
  "plugins[].max_results",
  "plugins[].mode",
  "plugins[].pdf.engine",
  "plugins[].x_search",
  "enable_search",
  "search_parameters.mode",
  "connectors",
  "mcp_servers",
  "container.skills",
  "compaction",
  "context_management.edits[].type",
  "context_management[].type",
  "multi_agent.enabled",
  // Fields with state that the vendor stores.
  "store",
  "previous_response_id",
  "conversation",
  "prompt",
  "thread",
]

/**
 * Names of the output limit in other formats. Some servers apply these limits even if the format's own limit is set.
 */
export const LIMIT_NAMES: readonly string[] = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "max_tokens_to_sample",
  "max_gen_len",
  "max_generated_tokens",
  "max_length",
  "auto_max_new_tokens",
  "n_predict",
  "num_predict",
  "tokens_to_generate",
  "min_tokens",
  "min_new_tokens",
  "min_length",
]

/** Names of the number of responses in other formats. llama.cpp prefers its own field to `n`. */
export const CHOICE_NAMES: readonly string[] = ["n_cmpl", "num_return_sequences"]

/** Fields with prompt templates, with which some servers expand a few bytes to any number of tokens. */
export const TEMPLATE_NAMES: readonly string[] = ["chat_template"]

/** Fields that name audio at another address. The gateway only measures uploaded audio. */
export const AUDIO_NAMES: readonly string[] = [
  "audio",
  "audio_url",
  "cloud_storage_url",
  "file_id",
  "file_uri",
  "file_url",
  "source_url",
  "uri",
  "url",
]

/** Names of the number of images in other formats. */
export const IMAGE_COUNT_NAMES: readonly string[] = [
  "batch_size",
  "image_num",
  "max_images",
  "num_images",
  "num_images_per_prompt",
  "num_outputs",
  "number_of_images",
  "number_results",
  "sample_count",
  "samples",
  "sequential_image_generation",
  "sequential_image_generation_options",
]

/** Objects whose members some servers read like top-level members of the request. */
export const CONTAINERS: readonly string[] = [
  "extra_body",
  "extra_params",
  "options",
  "parameters",
  "sampling_params",
  "generation_config",
]

/** Members of a tool that determine its kind and its price. */
export const TOOL_FIELDS: readonly string[] = [
  "type",
  "tools",
  "model",
  "max_uses",
  "max_tokens",
  "max_content_tokens",
  "max_results",
  "mode",
  "x_search",
  "parameters.max_results",
  "container.type",
  "container.memory_limit",
  "environment.type",
  "environment.memory_limit",
  "vector_store_ids",
  "cache_control.ttl",
]
