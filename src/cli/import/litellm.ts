import { readLiteLlmConfig } from "./litellm-config.ts"
import { readLiteLlmRows, textOf } from "./litellm-database.ts"
import { LiteLlmAccounts } from "./litellm-plan.ts"
import { Differences, type ImportPlan } from "./plan.ts"

/**
 * Plans the import of LiteLLM's settings, and of its database if one is given.
 * @param directory the folder of the settings file that will be written.
 * @throws CommandError if a source cannot be read.
 */
export async function planLiteLlm(
  file: string,
  directory: string,
  database?: string,
): Promise<ImportPlan> {
  const differences = new Differences()
  const { settings, variables, ids } = readLiteLlmConfig(textOf(file), directory, differences)
  if (database === undefined) {
    differences.toDecide("keys", "name the database with --database to carry them over")
    return { settings, variables, accounts: [], differences }
  }
  const accounts = new LiteLlmAccounts(
    await readLiteLlmRows(database, differences),
    ids,
    differences,
  )
  const planned = accounts.plan()
  accounts.reportUsers()
  return { settings, variables, accounts: planned, differences }
}
