import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import type { RuleName } from "tollgate-contract/model-rules.ts"
import { MODEL_RULES, RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import { t } from "../../languages/text.ts"

/** An override during editing, as text or as a list. If it is undefined, the known rule applies. */
export type RuleValue = string | readonly string[] | undefined
export type RuleValues = Readonly<Partial<Record<RuleName, RuleValue>>>

/** The list entry that represents an empty list. A list without entries means that there is no override. */
export const NOTHING = "(nothing)"

/** Returns the overrides that the console has set for a model. */
export function ruleValues({ entry }: Pick<Model, "entry">): RuleValues {
  const rules = asObject(entry?.["rules"])
  return Object.fromEntries(
    RULE_NAMES.filter((name) => rules[name] !== undefined).map((name) => {
      const value = rules[name]
      if (!Array.isArray(value)) return [name, String(value)]
      return [name, value.length === 0 ? [NOTHING] : value.map(String)]
    }),
  )
}

/** Returns the model's entry with these overrides and its other settings. */
export function entryWithRules({ entry }: Pick<Model, "entry">, values: RuleValues): ModelEntry {
  const { rules: _, ...others } = { ...entry }
  const rules = Object.fromEntries(
    RULE_NAMES.flatMap((name) => {
      const value = writtenValue(name, values[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return Object.keys(rules).length === 0 ? others : { ...others, rules }
}

/** Returns the options of a rule. */
export function optionsOf(name: RuleName): { readonly value: string; readonly label: string }[] {
  const { type, values = [], mayBeEmpty } = MODEL_RULES[name]
  if (type === "flag") {
    return [
      { value: "true", label: t("yes") },
      { value: "false", label: t("no") },
    ]
  }
  const options = values.map((value) => ({ value, label: value }))
  // A model without any effort level cannot reason.
  return mayBeEmpty === true ? [{ value: NOTHING, label: t("Nothing") }, ...options] : options
}

/** Removes the entry "(nothing)" when another option is chosen, and removes all options when that entry is chosen. */
export function chosen(
  before: readonly string[],
  after: readonly string[],
): readonly string[] | undefined {
  if (after.length === 0) return undefined
  if (!after.includes(NOTHING)) return after
  return before.includes(NOTHING) ? after.filter((value) => value !== NOTHING) : [NOTHING]
}

function writtenValue(name: RuleName, value: RuleValue): unknown {
  if (value === undefined || value.length === 0) return undefined
  if (typeof value !== "string") return value.filter((one) => one !== NOTHING)
  const { type } = MODEL_RULES[name]
  if (type === "flag") return value === "true"
  if (type !== "number") return value
  // Text that is not a number is sent unchanged. The gateway rejects it with a reason.
  return Number.isNaN(Number(value)) ? value : Number(value)
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
