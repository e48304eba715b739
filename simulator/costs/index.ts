import type { Handler, WireFormat } from "../format.ts"
import { answerAnthropicCosts } from "./anthropic.ts"
import { answerOpenaiCosts } from "./openai.ts"
import { answerActivity } from "./openrouter.ts"

const PATHS: Readonly<Record<string, Handler>> = {
  "/v1/organization/costs": answerOpenaiCosts,
  "/v1/organization/usage/completions": answerOpenaiCosts,
  "/v1/organization/usage/embeddings": answerOpenaiCosts,
  "/v1/organizations/cost_report": answerAnthropicCosts,
  "/v1/organizations/usage_report/messages": answerAnthropicCosts,
  "/api/v1/activity": answerActivity,
  // The path that is requested if a provider's `base_url` is the simulator's address.
  "/v1/activity": answerActivity,
}

/** Simulates the cost APIs of OpenAI, Anthropic and OpenRouter. */
export const costs: WireFormat = {
  name: "costs",
  match(method, path) {
    return method === "GET" && Object.hasOwn(PATHS, path) ? PATHS[path] : undefined
  },
}
