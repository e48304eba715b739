import type { DialectId } from "../../canon/extra.ts"

/** Fields of the interfaces that OpenAI defined. */
const OPENAI = `
  metadata model moderation parallel_tool_calls prompt_cache_key prompt_cache_options prompt_cache_retention
  safety_identifier service_tier store stream stream_options temperature tool_choice tools top_logprobs top_p user`

/**
 * Sampling and output fields of local servers: vLLM, SGLang, llama.cpp, text-generation-inference, TabbyAPI and
 * LM Studio. None of them allows more output than the limit of the request.
 */
const LOCAL_SERVERS = `
  add_bos_token add_generation_prompt add_special_tokens allow_empty allowed_token_ids bad_words ban_eos_token
  banned_strings banned_tokens bos_token_id cache_prompt cache_salt chat_id chat_template chat_template_kwargs clean_up_tokenization_spaces
  continue_final_message custom_logit_processor custom_params do_sample documents dry_allowed_length dry_base dry_multiplier dry_penalty_last_n
  dry_range dry_sequence_breakers dynatemp_exponent dynatemp_range early_stopping ebnf echo eos_token_id
  epsilon_cutoff eta_cutoff format frequency_penalty_decay grammar guided_choice guided_decoding_backend
  guided_grammar guided_json guided_regex guided_whitespace_pattern ignore_eos id_slot include_stop_str_in_output
  json_schema keep_alive kv_transfer_params length_penalty litellm_session_id logit_bias max_temp min_keep min_new_tokens min_p min_temp min_tokens
  mirostat mirostat_eta mirostat_mode mirostat_tau mm_processor_kwargs n_keep n_probs nsigma
  no_repeat_ngram_size no_stop_trim penalize_nl penalty_alpha pooling_params post_sampling_probs
  presence_penalty_decay prompt_logprobs random_seed reasoning_format reasoning_in_content regex repeat_last_n repeat_penalty
  repetition_penalty repetition_penalty_range return_hidden_states return_token_ids
  return_tokens_as_token_ids rid safety_settings samplers sampling_seed separate_reasoning skew
  skip_special_tokens smoothing_curve smoothing_factor spaces_between_special_tokens speculation
  stop_regex stop_token_ids stream_reasoning structured_outputs t_max_predict_ms temperature_last tfs tfs_z
  think thinking timings_per_token token_healing top_a top_k top_n_sigma truncate truncate_prompt_tokens ttl typical typical_p vllm_xargs
  watermark xtc_probability xtc_threshold`

/** Fields of hosted services that have OpenAI's chat interface, and that routers pass on to them. */
const HOSTED_CHAT = `
  cache_control citation_options clear_thinking context_length_exceeded_behavior debug disable_reasoning
  enable_thinking image_config include_reasoning language_preference mask_sensitive_info
  perf_metrics_in_response preserve_thinking prompt_mode prompt_truncate_len raw_output reasoning
  reasoning_content reasoning_effort reasoning_split reasoning_summary request_id return_images
  return_related_questions safe_prompt session_id structural_tag trace transforms
  translation_options usage user_id verbosity vl_high_resolution_images`

/** Fields that hold the conversation, or that determine the form of a response. */
const CHAT = `
  audio frequency_penalty function_call functions logprobs max_completion_tokens max_tokens messages modalities n
  prediction presence_penalty response_format seed stop suffix`

const RESPONSES = `
  access_programs background client_metadata context_management conversation frequency_penalty image include input instructions max_output_tokens
  max_tool_calls modalities presence_penalty previous_response_id prompt reasoning text truncation verbosity`

const MESSAGES = `
  betas cache_control container context_management diagnostics fallback_credit_token inference_geo max_tokens mcp_servers
  messages metadata model output_config output_format service_tier speed stop_sequences stream system temperature
  thinking thread tool_choice tools top_k top_p user_profile_id`

/** Fields of operations other than chat that the gateway passes on without reading them. */
const OPERATIONS = `
  aspect_ratio background chunking_strategy dimensions documents embedding_type embedding_types encoding_format
  guidance guidance_scale image image_size include input input_fidelity input_type instructions known_speaker_names
  known_speaker_references language late_chunking mask moderation negative_prompt normalized output_compression
  output_dimension output_dtype output_format partial_images prompt quality query rank_fields resolution
  response_format return_documents return_text seed size speed steps stream style svg task temperature
  timestamp_granularities top_n truncate truncation user voice`

/** Fields of Google's embeddings, which are dropped for servers of another format. */
const GOOGLE_OPERATIONS = "autoTruncate task_type title"

/** Fields of local servers for images, speech, transcriptions, embeddings and reranking. */
const LOCAL_OPERATIONS = `
  add_special_tokens cfg_scale cfg_weight clip_timestamps diarize exaggeration height hotwords instruction lang_code
  normalization_options normalize raw_scores ref_audio ref_text sample_rate sampler scheduler strength task_type
  truncate_prompt_tokens truncation_direction vad_filter volume_multiplier watermark width word_timestamps`

function names(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(/\s+/)).filter((name) => name !== "")
}

/**
 * Top-level fields that servers document and that have no separate price, by dialect. At servers that apply their own
 * instructions to a request, such as routers and LiteLLM, all other fields are rejected.
 */
export const TOP_LEVEL_FIELDS: Partial<
  Readonly<Record<DialectId | "operation", readonly string[]>>
> = {
  "openai-chat": names(OPENAI, CHAT, HOSTED_CHAT, LOCAL_SERVERS),
  "openai-responses": names(OPENAI, RESPONSES, HOSTED_CHAT, LOCAL_SERVERS),
  "anthropic-messages": names(MESSAGES),
  operation: names(OPERATIONS, GOOGLE_OPERATIONS, LOCAL_OPERATIONS),
}
