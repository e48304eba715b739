import { COMPATIBLE_RULES } from "./compatible.ts"
import { OPENAI_RULES } from "./openai.ts"
import { OWN_FORMAT_RULES } from "./own-formats.ts"
import type { RuleRow } from "./rule-row.ts"

export const RULE_TABLE: readonly RuleRow[] = [
  ...OPENAI_RULES,
  ...OWN_FORMAT_RULES,
  ...COMPATIBLE_RULES,
]
