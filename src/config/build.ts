import { resolve } from "node:path"
import type { BuildContext, Section } from "./declare.ts"
import { DECLARATIONS, type DeclaredSettings, isSection, nameOf } from "./declared-settings.ts"
import { fileValue } from "./places.ts"
import type { FileSettings } from "./schema.ts"
import type { ProviderEntry, ProviderSettings } from "./sections/providers.ts"
import type { Settings } from "./settings.ts"
import { named, present } from "./shapes.ts"
import type { TelemetryEnvironment } from "./telemetry-environment.ts"

export interface SettingsParts {
  readonly file: FileSettings
  /** The base folder of relative paths in the file. */
  readonly fileDirectory: string
  /** Values that take precedence over the file, by the name of the setting. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Settings from `OTEL_*`, which the file overrides; absent if they are not set. */
  readonly telemetry?: TelemetryEnvironment
  /** Entries created from environment variables. */
  readonly environmentProviders: Readonly<Record<string, ProviderEntry>>
  /** Whether `file` contains the settings of the file or of the console; the file if absent. */
  readonly origin?: "file" | "console"
}

/** Combines the validated settings and adds the defaults. */
export function buildSettings(parts: SettingsParts): Settings {
  const { file } = parts
  const declared = declaredSettings(parts)
  return present({
    ...declared,
    data: dataDirectory(declared.data, parts),
    providers: named([
      ...providersOf(parts.environmentProviders, "environment"),
      ...providersOf(file.providers ?? {}, parts.origin ?? "file"),
    ]),
    models: file.models ?? named([]),
    priceGroups: file.price_groups ?? undefined,
  })
}

function providersOf(
  entries: Readonly<Record<string, ProviderEntry>>,
  origin: ProviderSettings["origin"],
): [string, ProviderSettings][] {
  return Object.entries(entries).map(([id, entry]) => [id, { ...entry, origin }])
}

function declaredSettings(parts: SettingsParts): DeclaredSettings {
  const entries = Object.entries(DECLARATIONS).map(([member, declaration]) => [
    member,
    isSection(declaration)
      ? buildSection(declaration, parts)
      : (givenValue(nameOf(declaration, member), parts) ?? declaration.initial),
  ])
  // Each member has the type of value that its declaration defines.
  return present(Object.fromEntries(entries)) as DeclaredSettings
}

function buildSection(declaration: Section<unknown>, parts: SettingsParts): unknown {
  const { section, settings } = declaration
  const given = Object.entries(settings).map(
    ([member, setting]) =>
      [member, setting, givenValue(`${section}.${nameOf(setting, member)}`, parts)] as const,
  )
  const context: BuildContext = {
    isPresent: fileValue(parts.file, section) !== undefined,
    set: new Set(given.flatMap(([member, , value]) => (value === undefined ? [] : [member]))),
    fileDirectory: parts.fileDirectory,
    telemetry: parts.telemetry ?? {},
  }
  const values = given.map(([member, setting, value]) => [member, value ?? setting.initial])
  return declaration.build(present(Object.fromEntries(values)), context)
}

/** Returns the value from the environment; otherwise the value from the file. */
function givenValue(name: string, { file, overrides }: SettingsParts): unknown {
  return overrides[name] ?? fileValue(file, name)
}

/**
 * Resolves the data folder. A folder named in the file is relative to the file, and other folders to the working
 * directory.
 */
function dataDirectory(data: string, { file, fileDirectory, overrides }: SettingsParts): string {
  const isFromFile = overrides["data"] === undefined && fileValue(file, "data") !== undefined
  return isFromFile ? resolve(fileDirectory, data) : resolve(data)
}
