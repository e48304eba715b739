import type { Bill, Days } from "./bill.ts"
import { readAnthropic } from "./anthropic-costs.ts"
import type { CostAddress } from "./cost-request.ts"
import { readOpenai } from "./openai-costs.ts"
import { readOpenrouter } from "./openrouter-costs.ts"

/** How the costs of a vendor are read. */
export interface CostApi {
  readonly name: string
  /** The environment variable that holds the admin key, unless another one is named. */
  readonly keyVariable: string
  /** Below the provider's base address. */
  headers(key: string): Readonly<Record<string, string>>
  read(address: CostAddress, days: Days): Promise<Bill>
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** By the vendor's id. */
export const COST_APIS: ReadonlyMap<string, CostApi> = new Map([
  [
    "openai",
    {
      name: "OpenAI's cost API",
      keyVariable: "OPENAI_ADMIN_KEY",
      headers: bearer,
      read: readOpenai,
    },
  ],
  [
    "anthropic",
    {
      name: "Anthropic's cost API",
      keyVariable: "ANTHROPIC_ADMIN_KEY",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
      read: readAnthropic,
    },
  ],
  [
    "openrouter",
    {
      name: "OpenRouter's activity API",
      keyVariable: "OPENROUTER_MANAGEMENT_KEY",
      headers: bearer,
      read: readOpenrouter,
    },
  ],
])
