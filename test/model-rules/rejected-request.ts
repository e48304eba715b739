import type { ModelRules, RuleName } from "tollgate-contract/model-rules.ts"
import type { Format, OfferedTool, Situation, Turn } from "./situation.ts"

/** A request that a provider rejects according to its documentation, and the expected change. */
export interface RejectedRequest {
  readonly rule: RuleName
  /** The name of the tested part, if the rule has several effects. */
  readonly name?: string
  /** The vendors that reject the request, with a model of each. */
  readonly at: readonly (readonly [vendor: string, model: string])[]
  readonly asked: Situation
  /** Rules that disable the tested rule, so that the provider rejects the request. */
  readonly lifted: ModelRules
  /** Matches the provider's error. */
  readonly rejection: RegExp
  /** The loss that is reported for the change; null: the change loses nothing. */
  readonly loss: string | null
  /** The formats in which the request has this meaning; absent: all formats that can express it. */
  readonly formats?: readonly Format[]
  /** Formats in which the request is accepted even without the rule, because it is translated. */
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
