import { isDeepStrictEqual } from "node:util"
import { DECLARED_SETTINGS } from "./declared-settings.ts"
import { valueAt } from "./places.ts"
import type { Settings } from "./settings.ts"

/** The changes in a new version of the settings, by their names in the file. They contain no values. */
export interface SettingsChanges {
  /** Settings that changed since the previous version, such as `providers.openai` or `timeouts.connect`. */
  readonly changed: readonly string[]
  /** Settings that changed since the start of the process and only apply after a restart. */
  readonly restartNeeded: readonly string[]
}

/**
 * Compares settings.
 * @param started the settings at the start of the process.
 * @param before the settings that were active until now.
 */
export function settingsChanges(
  started: Settings,
  before: Settings,
  after: Settings,
): SettingsChanges {
  const sinceStart = DECLARED_SETTINGS.filter(
    ({ needsRestart, at }) =>
      needsRestart && !isDeepStrictEqual(valueAt(started, at), valueAt(after, at)),
  )
  return {
    changed: differences(before, after),
    restartNeeded: sinceStart.map(({ name }) => name),
  }
}

function differences(before: Settings, after: Settings): string[] {
  const left = flatten(before)
  const right = flatten(after)
  const names = new Set([...left.keys(), ...right.keys()])
  return [...names].filter((name) => !isDeepStrictEqual(left.get(name), right.get(name)))
}

function flatten(settings: Settings): Map<string, unknown> {
  const declared = DECLARED_SETTINGS.map(({ name, at }) => [name, valueAt(settings, at)] as const)
  return new Map([...declared, ...tableValues(settings)])
}

/** Returns the entries of tables by their path in the file, such as `models.openai/gpt-5`. */
function tableValues({ providers, models, priceGroups = {} }: Settings): [string, unknown][] {
  return Object.entries({ providers, models, price_groups: priceGroups }).flatMap(
    ([prefix, table]) =>
      Object.entries(table).map(([name, value]): [string, unknown] => [`${prefix}.${name}`, value]),
  )
}
