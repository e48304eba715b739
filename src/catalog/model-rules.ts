import type { EffectiveRule } from "#contract/effective-rules.ts"
import type { ModelRules, RuleName } from "#contract/model-rules.ts"
import { RULE_NAMES } from "#contract/rule-definitions.ts"
import {
  type EffectiveRules,
  overridden,
  type RuleOrigin,
  type RuleOrigins,
} from "../canon/model-rules.ts"
import type { ModelFacts } from "./facts.ts"
import { COMPATIBLE_RULES } from "./rule-table/compatible.ts"
import { OPENAI_RULES } from "./rule-table/openai.ts"
import { OWN_FORMAT_RULES } from "./rule-table/own-formats.ts"
import { type RuleRow, MOONSHOT, ZAI } from "./rule-table/rule-row.ts"

/** Vendors that adapt each request to the model, either in their dialect or on their servers. */
const ADAPTING: ReadonlySet<string> = new Set([
  "anthropic",
  "bedrock",
  "cohere",
  "google",
  "openrouter",
  "vertex",
])

/** The request field that switches reasoning off at a vendor. */
interface ReasoningSwitch {
  readonly off: NonNullable<ModelRules["reasoning_off"]>
  readonly source: string
}

export const SWITCHES: ReadonlyMap<string, ReasoningSwitch> = new Map([
  [
    "minimax",
    { off: "thinking", source: "platform.minimax.io/docs/api-reference/text-chat-openai" },
  ],
  ["alibaba", { off: "enable_thinking", source: "help.aliyun.com/zh/model-studio/deep-thinking" }],
  ["deepseek", { off: "none", source: "api-docs.deepseek.com/guides/reasoning_model" }],
  ...MOONSHOT.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model" },
  ]),
  [
    "siliconflow",
    { off: "enable_thinking", source: "docs.siliconflow.com/capabilities/reasoning" },
  ],
  ["tencent", { off: "thinking", source: "www.tencentcloud.com/document/product/1300/80637" }],
  ["volcengine", { off: "thinking", source: "www.volcengine.com/docs/82379/1494384" }],
  ["xiaomi", { off: "thinking", source: "platform.xiaomimimo.com/docs/en-US/api/chat/openai-api" }],
  ...ZAI.map((vendor): [string, ReasoningSwitch] => [
    vendor,
    { off: "thinking", source: "docs.z.ai/guides/capabilities/thinking-mode" },
  ]),
])

export const RULE_TABLE: readonly RuleRow[] = [
  ...OPENAI_RULES,
  ...OWN_FORMAT_RULES,
  ...COMPATIBLE_RULES,
]

/**
 * Vendors that defined the dialect that they use. Of the rules, only enforced ones apply to requests in this dialect.
 */
export const DIALECT_MAKERS: ReadonlySet<string> = new Set([
  "anthropic",
  "azure",
  "google",
  "openai",
  "vertex",
])

/** The rules of a deployment and their sources. */
export interface ResolvedRules extends EffectiveRules {
  /** Absent if there are no rules. */
  readonly ruleOrigins?: RuleOrigins
}

export interface RuleSources {
  readonly vendor: string
  /** The vendor's own name for the model. */
  readonly model: string
  /** Absent for an unknown model, which only has the rules of its vendor. */
  readonly facts: ModelFacts | undefined
  /** The rules from the settings of the model, then of the deployment. */
  readonly written: readonly (ModelRules | undefined)[]
}

/** Resolves the rules of one chat model at its vendor from the built-in rules, the price list and the settings. */
export function resolveRules({ vendor, model, facts, written }: RuleSources): ResolvedRules {
  const resolving = new Resolving()
  for (const row of RULE_TABLE) {
    const applies = row.vendors.includes(vendor) && (row.models?.test(model) ?? true)
    if (applies) resolving.add(row.rules, { source: "built_in", note: row.source })
  }
  if (facts !== undefined && !ADAPTING.has(vendor)) addListed(resolving, vendor, facts)
  if (resolving.rules?.pdf_engine !== undefined && facts?.input?.includes("pdf") === true) {
    resolving.add({ pdf_engine: "native" }, { source: "list" })
  }
  const enforced = written.reduce(overridden, undefined)
  resolving.add(enforced ?? {}, { source: "settings" })
  const { rules, origins } = resolving
  if (rules === undefined) return {}
  return { rules, ruleOrigins: origins, ...(enforced !== undefined && { enforced }) }
}

/** Collects rules, one source after another. */
class Resolving {
  rules: ModelRules | undefined
  readonly origins: Partial<Record<RuleName, RuleOrigin>> = {}

  add(rules: ModelRules, origin: RuleOrigin): void {
    const names = Object.keys(rules) as RuleName[]
    if (names.length === 0) return
    this.rules = { ...this.rules, ...rules }
    for (const name of names) this.origins[name] = origin
  }
}

/** Adds the rules of the price list. */
function addListed(resolving: Resolving, vendor: string, facts: ModelFacts): void {
  const listed = { source: "list" } as const
  if (facts.reasoning !== true) return resolving.add({ reasoning: "unsupported" }, listed)
  const { efforts, reasoning_field: field } = facts
  if (efforts !== undefined) resolving.add({ reasoning_efforts: efforts }, listed)
  const known = SWITCHES.get(vendor)
  if (efforts?.includes("none") === true) resolving.add({ reasoning_off: "none" }, listed)
  else if (known !== undefined) {
    const { off, source: note } = known
    resolving.add({ reasoning_off: off }, { source: "built_in", note })
  }
  if (field === "reasoning_content") resolving.add({ reasoning_history: true }, listed)
  // The rule table describes sampling more precisely than the list, which only covers the temperature.
  if (facts.temperature === false && resolving.rules?.rejected_parameters === undefined) {
    resolving.add({ rejected_parameters: ["temperature", "top_p"] }, listed)
  }
}

/** Returns rules for display. */
export function listedRules({
  rules = {},
  ruleOrigins = {},
}: Pick<ResolvedRules, "rules" | "ruleOrigins">): EffectiveRule[] {
  return RULE_NAMES.flatMap((name) => {
    const value = rules[name]
    const origin = ruleOrigins[name]
    if (value === undefined || origin === undefined) return []
    const { source, note = null } = origin
    return [{ name, value: typeof value === "object" ? [...value] : value, source, note }]
  })
}
