import type { ModelRules, RuleName } from "tollgate-contract/model-rules.ts"
import type { Format, OfferedTool, Situation, Turn } from "./situation.ts"

/** A request that a provider documents as rejected, and the expected change. */
export interface RejectedRequest {
  readonly rule: RuleName
  /** The rule does something else too: which part is tried. */
  readonly name?: string
  /** Vendors with a model of each. */
  readonly at: readonly (readonly [vendor: string, model: string])[]
  readonly asked: Situation
  /** Rules that undo the rule, so that the provider rejects the request. */
  readonly lifted: ModelRules
  /** The provider's message. */
  readonly rejection: RegExp
  /** The reported loss if the request is changed; null: the change loses nothing. */
  readonly loss: string | null
  /** The formats in which the request can mean this; absent: all that can express it. */
  readonly formats?: readonly Format[]
  /** Formats in which the request is accepted without the rule too, since it is translated. */
  readonly unaffected?: readonly Format[]
}

export const user = (text: string, more: Partial<Turn> = {}): Turn => ({
  role: "user",
  text,
  ...more,
})
export const assistant = (text: string): Turn => ({ role: "assistant", text })
export const LOOK: readonly OfferedTool[] = [{ name: "look" }]
export const called = (id: string): readonly Turn[] => [
  user("Look."),
  { role: "assistant", call: id },
  { role: "user", result: id },
]
export const many = (count: number, isStrict?: true): readonly OfferedTool[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    ...(isStrict && { isStrict }),
  }))
export const object = (properties: object, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})
export const LIST = { type: "array", items: { type: "string" } }
export const LONG_NAME = `mcp__plugin_${"x".repeat(80)}`
export const ALL_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
