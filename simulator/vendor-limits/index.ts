import type { Exchange } from "../exchange.ts"
import type { JsonObject } from "../json.ts"
import { CLAUDE_LIMITS } from "./claude.ts"
import { COMPATIBLE_LIMITS } from "./compatible.ts"
import { GEMINI_LIMITS } from "./gemini.ts"
import type { Api, Limit, Problem } from "./limit.ts"
import { OPENAI_LIMITS } from "./openai.ts"

/**
 * Documented limits of the vendors' models. They are taken from the vendors' documentation and never from the gateway's
 * rules.
 */
export const VENDOR_LIMITS: readonly Limit[] = [
  ...OPENAI_LIMITS,
  ...COMPATIBLE_LIMITS,
  ...CLAUDE_LIMITS,
  ...GEMINI_LIMITS,
]

/**
 * Returns the reason why the simulated vendor rejects a request. Returns undefined if the vendor accepts it, or if no
 * vendor is simulated.
 */
export function limitProblem(
  { vendor }: Exchange,
  api: Api,
  model: string,
  body: JsonObject,
): Problem | undefined {
  if (vendor === undefined) return undefined
  for (const limit of VENDOR_LIMITS) {
    if (limit.api !== api || !limit.vendors.includes(vendor)) continue
    if (limit.models?.test(model) === false) continue
    for (const check of limit.checks) {
      const problem = check(body, model)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}
