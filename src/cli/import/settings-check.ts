import { ConfigError } from "../../config/config-error.ts"
import { loadSettings } from "../../config/load.ts"
import { BUILT_IN } from "../../management/prices/stored-lists.ts"
import type { LoadOptions } from "../../config/load.ts"
import { checkPrices } from "../doctor-checks.ts"
import type { ImportPlan } from "./plan.ts"
import { placeholder } from "./variables.ts"

/**
 * Reads the settings as the gateway does when it starts, and adds what the operator has to do to the page.
 * Variables that are not set on this machine have a placeholder: they are for the machine that the gateway runs on.
 * @param file where the settings will be written.
 * @returns why the gateway would not start; empty if it would.
 */
export function checkSettings(
  { variables, differences }: ImportPlan,
  text: string,
  { file, ...options }: LoadOptions & { readonly file: string },
): readonly string[] {
  const unset = [...variables.references].filter(([name]) => !options.environment[name])
  if (unset.length > 0) {
    const names = unset.map(([name]) => name).join(", ")
    differences.toDecide("variables", `set these before you start the gateway: ${names}`)
  }
  const environment = {
    ...options.environment,
    ...Object.fromEntries(unset.map(([name, member]) => [name, placeholder(member, name)])),
    ...Object.fromEntries(variables.values),
  }
  try {
    const { settings, warnings } = loadSettings({ ...options, environment, file, text })
    for (const warning of warnings) differences.toDecide("settings", warning)
    const prices = checkPrices(settings, BUILT_IN)
    if (prices.mend !== undefined) differences.toDecide("prices", `${prices.found}: ${prices.mend}`)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${path} ${message}`.trim())
  }
}
