import type { ConsoleField } from "./declare.ts"
import { DECLARED_SECTIONS, DECLARED_SETTINGS, type DeclaredSetting } from "./declared-settings.ts"
import { fileValue, valueAt, withValueFrom } from "./places.ts"
import type { FileSettings } from "./schema.ts"
import type { Settings } from "./settings.ts"

/** A setting that the console can change while the gateway runs. */
export interface ChangeableSetting {
  /** The name in `tollgate.yaml`, such as `timeouts.connect`. */
  readonly name: string
  readonly label: string
  readonly help: string
  /** Null if there is no default. */
  readonly default: string | null
  /** Whether the value is stored in encrypted form and never shown. */
  readonly isSecret: boolean
  /** Whether the value is a list, which the management API changes entry by entry. */
  readonly isList: boolean
  /** Returns the active value as text in the format of the file; null if there is none, or if it is a secret. */
  show(settings: Settings): string | null
  /** Returns the settings with this setting taken from `others`. */
  take(settings: Settings, others: Settings): Settings
}

/**
 * The settings that are safe to change at run time. The listening address, the data folder and the administrators can
 * only be changed in the configuration files.
 */
export const CHANGEABLE_SETTINGS: readonly ChangeableSetting[] = DECLARED_SETTINGS.flatMap(
  (setting) => (setting.console === undefined ? [] : [changeable(setting, setting.console)]),
)

function changeable(setting: DeclaredSetting, field: ConsoleField<unknown>): ChangeableSetting {
  const { name, at } = setting
  const standard = setting.default ?? setting.implied ?? null
  return {
    name,
    label: field.label,
    help: field.help,
    default: standard,
    isSecret: setting.secret !== undefined,
    isList: field.isList ?? false,
    show(settings) {
      if (setting.secret !== undefined) return null
      const value = valueAt(settings, at)
      if (value === undefined) return setting.implied ?? null
      return field.write === undefined ? String(value) : field.write(value)
    },
    take(settings, others) {
      return valueAt(others, at) === undefined ? settings : withValueFrom(settings, others, at)
    },
  }
}

/** Whether a setting is secret, by its name in the file. */
export function isSecretSetting(name: string): boolean {
  return CHANGEABLE_SETTINGS.some((setting) => setting.isSecret && setting.name === name)
}

/** Returns the names of the settings that a file sets, or that it excludes because it sets the rest of the section. */
export function writtenNames(file: FileSettings): string[] {
  const isWritten = (name: string): boolean => fileValue(file, name) !== undefined
  const closed = DECLARED_SECTIONS.flatMap(([, { section, rule }]) =>
    rule?.together.some((name) => isWritten(`${section}.${name}`)) ? [`${section}.`] : [],
  )
  return CHANGEABLE_SETTINGS.map(({ name }) => name).filter(
    (name) => isWritten(name) || closed.some((section) => name.startsWith(section)),
  )
}
