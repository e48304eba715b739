import type { TimeRange } from "../../store/settlements.ts"
import type { Bill } from "./bill.ts"
import { readAnthropic } from "./anthropic-costs.ts"
import type { CostAddress } from "./cost-request.ts"
import { readOpenai } from "./openai-costs.ts"
import { readOpenrouter } from "./openrouter-costs.ts"

/** The cost API of a vendor. */
export interface CostApi {
  readonly name: string
  /** The default environment variable with the admin key. */
  readonly keyVariable: string
  headers(key: string): Readonly<Record<string, string>>
  read(address: CostAddress, days: TimeRange): Promise<Bill>
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Cost APIs by the vendor's id. */
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
