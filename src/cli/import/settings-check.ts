import { ConfigError } from "../../config/config-error.ts"
import { loadSettings, type LoadOptions } from "../../config/load.ts"
import { BUILT_IN } from "../../management/prices/stored-lists.ts"
import { checkPrices } from "../doctor-checks.ts"
import { listedModels } from "../listed-models.ts"
import type { ImportPlan } from "./plan.ts"
import { placeholder, type Variables } from "./variables.ts"
import { settingsText } from "./apply.ts"

type CheckOptions = LoadOptions & { readonly file: string }
type Named = Readonly<Record<string, unknown>>

/**
 * Removes models that no provider would offer, and their aliases, because an alias of a missing model prevents the
 * start. For example, an unknown model of a vendor without chat is missing if the settings do not contain its kind.
 */
export function withoutMissingModels(plan: ImportPlan, options: CheckOptions): ImportPlan {
  const { models = {}, aliases = {}, ...rest } = plan.settings as Readonly<Record<string, Named>>
  const names = new Map(Object.entries(aliases).map(([name, id]) => [String(id), name]))
  const present = modelsIn(plan, options)
  const missing = Object.keys(models).filter((id) => present?.has(id) === false)
  if (missing.length === 0) return plan
  for (const id of missing) {
    const words = `no provider offers it as ${id}: add it by hand, with its kind and price`
    plan.differences.notCarried(`model ${names.get(id) ?? id}`, words)
  }
  const kept = (entries: Named, idOf: (name: string, value: unknown) => unknown): Named =>
    Object.fromEntries(
      Object.entries(entries).filter(
        ([name, value]) => !missing.includes(String(idOf(name, value))),
      ),
    )
  const settings = {
    ...rest,
    models: kept(models, (id) => id),
    aliases: kept(aliases, (_, id) => id),
  }
  return { ...plan, settings }
}

/** Returns the models of a plan; undefined if the settings are invalid for another reason. */
function modelsIn(plan: ImportPlan, { modelsOf: _modelsOf, ...options }: CheckOptions) {
  const environment = completed(plan.variables, options.environment)
  try {
    return listedModels(
      loadSettings({ ...options, environment, text: settingsText(plan) }).settings,
    )
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** Returns the environment with a placeholder for each variable that the operator has to set. */
function completed(variables: Variables, environment: LoadOptions["environment"]) {
  const unset = [...variables.references].filter(([name]) => !environment[name])
  return {
    ...environment,
    ...Object.fromEntries(unset.map(([name, member]) => [name, placeholder(member, name)])),
    ...Object.fromEntries(variables.values),
  }
}

/**
 * Loads the settings in the same way as a starting gateway, and adds the operator's tasks to the page. Variables that
 * are not set on this machine get a placeholder, because the gateway may run on another machine.
 * @param file the path at which the settings will be written.
 * @returns the reason why the gateway would not start; empty if it would.
 */
export function checkSettings(
  { variables, differences }: ImportPlan,
  text: string,
  { file, ...options }: CheckOptions,
): readonly string[] {
  const unset = [...variables.references].filter(([name]) => !options.environment[name])
  if (unset.length > 0) {
    const names = unset.map(([name]) => name).join(", ")
    differences.toDecide("variables", `set these before you start the gateway: ${names}`)
  }
  const environment = completed(variables, options.environment)
  try {
    const { settings, warnings } = loadSettings({ ...options, environment, file, text })
    for (const warning of warnings) differences.toDecide("settings", warning)
    const prices = checkPrices(settings, BUILT_IN)
    if (prices.fix !== undefined) differences.toDecide("prices", `${prices.found}: ${prices.fix}`)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${path} ${message}`.trim())
  }
}
