import { expect, test } from "bun:test"
import { MODEL_RULES, RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import facts from "../../src/catalog/facts.json" with { type: "json" }
import type { Facts } from "../../src/catalog/facts.ts"
import { listedRules, resolveRules } from "../../src/catalog/model-rules.ts"
import { load } from "../config/harness.ts"
import { build, provider, settings as bareSettings } from "./support.ts"

const KNOWN = (facts as unknown as Facts).vendors

const resolved = (written: Parameters<typeof resolveRules>[0]["written"]) =>
  resolveRules({ vendor: "openai", model: "gpt-5.4", facts: KNOWN["openai"]?.["gpt-5.4"], written })

test("an override replaces one rule and keeps the others", () => {
  const before = resolved([])
  const after = resolved([{ max_user_length: 100 }, { rejected_parameters: [] }])
  expect(after.rules).toEqual({ ...before.rules, max_user_length: 100, rejected_parameters: [] })
  expect(before.enforced).toBeUndefined()
  expect(after.enforced).toEqual({ max_user_length: 100, rejected_parameters: [] })
})

test("a deployment's rule takes precedence over the model's rule", () => {
  const { rules } = resolved([{ tools: false, reasoning: "required" }, { tools: true }])
  expect([rules?.tools, rules?.reasoning]).toEqual([true, "required"])
})

test("each model rule names its source", () => {
  const sources = listedRules(resolved([{ max_user_length: 100 }])).map(
    ({ name, source }) => `${name}: ${source}`,
  )
  expect(sources).toEqual([
    "tool_api: built_in",
    "reasoning_efforts: list",
    "default_effort: built_in",
    "reasoning_off: list",
    "rejected_parameters: built_in",
    "sampling_without_reasoning: built_in",
    "max_user_length: settings",
    "json_word_required: built_in",
    "schema_root_object: built_in",
    "strict_requires_all: built_in",
    "max_tools: built_in",
    "max_tool_name_length: built_in",
    "tool_name_characters: built_in",
    "max_call_id_length: built_in",
  ])
})

test("the settings support every model rule", () => {
  const values = {
    api: "any",
    tool_api: "openai-chat",
    tools: false,
    reasoning: "required",
    reasoning_efforts: ["low", "high"],
    default_effort: "none",
    reasoning_off: "thinking",
    reasoning_history: true,
    rejected_parameters: [],
    sampling_without_reasoning: true,
    max_user_length: 64,
    max_tokens_field: "max_tokens",
    modalities: ["text"],
    answer_formats: [],
    json_word_required: true,
    schema_as_tool: false,
    schema_root_object: true,
    schema_described_keywords: ["minimum"],
    schema_rejected_keywords: [],
    schema_closed_objects: true,
    schema_recursion: false,
    strict_requires_all: true,
    max_tools: 128,
    max_strict_tools: 20,
    max_tool_name_length: 64,
    tool_name_characters: ["-", ".", ":", "/"],
    tool_name_starts_with_letter: true,
    max_call_id_length: 40,
    tool_choice: false,
    tool_choice_with_reasoning: false,
    turns_end_with_user: true,
    turns_alternate: true,
    turns_answer_results: false,
    instructions_first: true,
    prefill_field: "any",
    max_images: 0,
    max_cache_marks: 4,
    pdf_engine: "native",
    server_order: "any",
  }
  expect(Object.keys(values)).toEqual([...RULE_NAMES])
  const rules = JSON.stringify(values)
  const deployment = `{ provider: p, rules: ${rules} }`
  const { settings } = load(`
providers:
  p: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  p/m: { rules: ${rules}, deployments: [${deployment}] }
`)
  expect(settings.models["p/m"]?.rules).toEqual(values as never)
  expect(settings.models["p/m"]?.deployments?.[0]?.rules).toEqual(values as never)
  for (const { meaning, effect } of Object.values(MODEL_RULES)) {
    expect([meaning, effect]).not.toContain("")
  }
})

test("model rules that a deployment cannot follow cause a warning", () => {
  const models = {
    "acme/large": { rules: { api: "gemini" } },
    "acme/small": { rules: { tool_api: "openai-responses", api: "any" } },
    "acme/vectors": { rules: { tools: false } },
  } as const
  const { warnings } = build(bareSettings({ acme: provider("acme") }, models))
  expect(warnings.filter((warning) => warning.includes("rules"))).toEqual([
    "model acme/large: its rules require 'gemini', which a deployment does not support",
    "model acme/vectors: rules have no effect, since it is not a chat model",
  ])
})

test.each([
  ["xiaomi", "mimo-v2.6-pro", { answer_formats: ["json_object"], tool_choice: false }],
  ["xiaomi", "mimo-v2.6-pro", { reasoning_off: "thinking", reasoning_history: true }],
  ["minimax", "MiniMax-M2.7", { reasoning: "required" }],
  ["minimax", "MiniMax-M3", { reasoning_off: "thinking" }],
  ["tencent", "minimax-m2.7", { reasoning: "required" }],
  ["moonshot-cn", "kimi-k2.7-code", { reasoning: "required" }],
  ["volcengine", "doubao-seed-2-1-pro-260628", { rejected_parameters: ["logprobs", "stop"] }],
])("the rules of %s/%s match their recorded values", (vendor, model, rules) => {
  const found = resolveRules({ vendor, model, facts: KNOWN[vendor]?.[model], written: [] })
  expect(found.rules).toMatchObject(rules)
})
