import { readLiteLlmConfig } from "./litellm-config.ts"
import { readLiteLlmRows, textOf } from "./litellm-database.ts"
import { LiteLlmAccounts } from "./litellm-plan.ts"
import { Differences, type ImportPlan } from "./plan.ts"

/**
 * What LiteLLM's settings, and its database where one is named, become here.
 * @throws CommandError
 */
export async function planLiteLlm(file: string, database?: string): Promise<ImportPlan> {
  const differences = new Differences()
  const { settings, variables, ids } = readLiteLlmConfig(textOf(file), differences)
  if (database === undefined) {
    differences.toDecide("keys", "name the database with --database to take them over")
    return { settings, variables, accounts: [], differences: differences.list }
  }
  const accounts = new LiteLlmAccounts(await readLiteLlmRows(database), ids, differences)
  const planned = accounts.plan()
  accounts.reportUsers()
  return { settings, variables, accounts: planned, differences: differences.list }
}
