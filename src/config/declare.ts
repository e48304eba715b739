import type { TelemetryEnvironment } from "./telemetry-environment.ts"
import { Fault, type Reader } from "./reading.ts"
import type { Members } from "./shapes.ts"

/** The input for a setting in the console, through which an operator can change it at run time. */
export interface ConsoleField<Value> {
  readonly label: string
  readonly help: string
  /** Whether the value is a list, which the management API changes entry by entry. */
  readonly isList?: boolean
  /** Formats the value as in the file; if absent, `String` is used. */
  write?(value: Value): string | null
}

/** Keeps a secret value out of logs and descriptions. */
export interface Secret<Value> {
  /** Returns the texts to redact in logs. */
  textsOf(value: Value): readonly string[]
  /** Returns the value without secrets, for display to operators. */
  describe(value: Value | undefined): unknown
}

/** All properties of a setting except its reader. */
export interface SettingOptions<Value> {
  /** The setting's row in docs/reference/settings.md, as Markdown. */
  readonly documentation: string
  /** The default, in the format of the file. */
  readonly default?: string
  /** A value in the file that means the same as no value. In that case, `Settings` lacks the setting. */
  readonly implied?: string
  /** A description of the behavior if the setting has no value. */
  readonly otherwise?: string
  /** The setting's name in the file, below its section; if absent, the member's name in snake case. */
  readonly name?: string
  /** The path of the setting in the section's settings; if absent, the member. */
  readonly at?: readonly string[]
  /** Whether the name without a value counts as an absent setting. */
  readonly isNullable?: boolean
  /** Whether a running process ignores a new value. */
  readonly needsRestart?: boolean
  /** The environment variable that takes precedence over the file. */
  readonly environment?: string
  /** Reads the environment variable. Required if its format differs from the file. */
  readVariable?(text: string): Value | Fault
  /** Environment variables that the section reads itself, for the documentation. */
  readonly otherVariables?: readonly string[]
  readonly console?: ConsoleField<Value>
  readonly secret?: Secret<Value>
}

/** The declaration of a setting, from which all other forms of the setting are derived. */
export interface Setting<Value> extends SettingOptions<NonNullable<Value>> {
  readonly reader: Reader<unknown>
  /** The value if the setting is absent. */
  readonly initial: Value
}

/** Declares a setting with a default. */
export function setting<Value>(
  reader: Reader<Value>,
  options: SettingOptions<NonNullable<Value>> & { readonly default: string },
): Setting<NonNullable<Value>>
/** Declares a setting without a default. */
export function setting<Value>(
  reader: Reader<Value>,
  options: SettingOptions<NonNullable<Value>>,
): Setting<NonNullable<Value> | undefined>
export function setting<Value>(
  reader: Reader<Value>,
  options: SettingOptions<NonNullable<Value>>,
): Setting<Value | undefined> {
  const initial = options.default === undefined ? undefined : reader.readOne(options.default)
  if (initial instanceof Fault) throw new Error(`the default ${options.default} ${initial.message}`)
  return { ...options, reader, initial }
}

type ValueOf<Declaration> =
  Declaration extends Section<infer Built>
    ? Built
    : Declaration extends Setting<infer Value>
      ? Value
      : never

/** The values of declared settings, by member. */
export type Values<Declarations> = Members<{
  [Name in keyof Declarations]: ValueOf<Declarations[Name]>
}>

/** Context for building a section, in addition to its values. */
export interface BuildContext {
  /** Whether the file contains the section. */
  readonly isPresent: boolean
  /** The members that the file or the environment sets. */
  readonly set: ReadonlySet<string>
  /** The folder of the file, which relative paths in the file start from. */
  readonly fileDirectory: string
  readonly telemetry: TelemetryEnvironment
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** A section of the file, which is a member of `Settings`. */
export interface Section<Built> {
  readonly section: string
  readonly settings: SettingTable
  /** A rule about which settings are set together. */
  readonly rule?: SectionRule
  build(values: Readonly<Record<string, unknown>>, context: BuildContext): Built
}

/** A rule about which settings of a section are set together. */
export interface SectionRule {
  readonly message: string
  /** The settings that are set together. If the file sets them, the console cannot change the section. */
  readonly together: readonly string[]
  /** @param names the names of the settings that are set, without the section. */
  isMet(names: ReadonlySet<string>): boolean
}

/** Declares a section whose settings are used unchanged. */
export function section<Settings extends SettingTable>(
  name: string,
  settings: Settings,
): Section<Values<Settings>>
/** Declares a section that builds another form from its settings. */
export function section<Settings extends SettingTable, Built>(
  name: string,
  settings: Settings,
  options: {
    readonly rule?: SectionRule
    build(values: Values<Settings>, context: BuildContext): Built
  },
): Section<Built>
export function section(
  name: string,
  settings: SettingTable,
  options?: Pick<Section<unknown>, "rule" | "build">,
): Section<unknown> {
  return { section: name, settings, build: (values) => values, ...options }
}
