import {
  ANSWER_FORMATS,
  MAX_TOKENS_FIELDS,
  MODALITIES,
  type ModelRules,
  PDF_ENGINES,
  PREFILL_FIELDS,
  REASONING_EFFORTS,
  REASONING_SUPPORT,
  REASONING_SWITCHES,
  REJECTABLE_PARAMETERS,
  RULE_APIS,
  RULE_RANGES,
  SCHEMA_KEYWORDS,
  TOOL_NAME_CHARACTERS,
} from "#contract/model-rules.ts"
import { z } from "zod"
import { flag, oneOf, wholeNumber } from "./scalars.ts"

function anyOf<Word extends string>(words: readonly Word[], kind: string) {
  return z.array(oneOf(words, kind), { error: "must be a list" })
}

function someOf<Word extends string>(words: readonly Word[], kind: string) {
  return anyOf(words, kind).min(1, "is empty. Give it an entry, or remove it")
}

function numberOf(name: keyof typeof RULE_RANGES) {
  const [minimum, maximum] = RULE_RANGES[name]
  return wholeNumber(minimum, maximum).optional()
}

/** The rules of a model, by name. */
export const modelRuleScalars = {
  api: oneOf(RULE_APIS, "API").optional(),
  tool_api: oneOf(RULE_APIS, "API").optional(),
  tools: flag().optional(),
  reasoning: oneOf(REASONING_SUPPORT, "value").optional(),
  reasoning_efforts: someOf(REASONING_EFFORTS, "effort").optional(),
  default_effort: oneOf(REASONING_EFFORTS, "effort").optional(),
  reasoning_off: oneOf(REASONING_SWITCHES, "way to switch reasoning off").optional(),
  reasoning_history: flag().optional(),
  // An empty list removes a built-in list.
  rejected_parameters: anyOf(REJECTABLE_PARAMETERS, "parameter").optional(),
  sampling_without_reasoning: flag().optional(),
  max_user_length: numberOf("max_user_length"),
  max_tokens_field: oneOf(MAX_TOKENS_FIELDS, "field").optional(),
  modalities: someOf(MODALITIES, "modality").optional(),
  // An empty list only allows text.
  answer_formats: anyOf(ANSWER_FORMATS, "format").optional(),
  json_word_required: flag().optional(),
  schema_as_tool: flag().optional(),
  schema_root_object: flag().optional(),
  schema_described_keywords: anyOf(SCHEMA_KEYWORDS, "keyword").optional(),
  schema_rejected_keywords: anyOf(SCHEMA_KEYWORDS, "keyword").optional(),
  schema_closed_objects: flag().optional(),
  schema_recursion: flag().optional(),
  strict_requires_all: flag().optional(),
  max_tools: numberOf("max_tools"),
  max_strict_tools: numberOf("max_strict_tools"),
  max_tool_name_length: numberOf("max_tool_name_length"),
  tool_name_characters: anyOf(TOOL_NAME_CHARACTERS, "character").optional(),
  tool_name_starts_with_letter: flag().optional(),
  max_call_id_length: numberOf("max_call_id_length"),
  tool_choice: flag().optional(),
  tool_choice_with_reasoning: flag().optional(),
  turns_end_with_user: flag().optional(),
  turns_alternate: flag().optional(),
  turns_answer_results: flag().optional(),
  instructions_first: flag().optional(),
  prefill_field: oneOf(PREFILL_FIELDS, "field").optional(),
  max_images: numberOf("max_images"),
  max_cache_marks: numberOf("max_cache_marks"),
  pdf_engine: oneOf(PDF_ENGINES, "engine").optional(),
} satisfies Record<keyof ModelRules, unknown>
