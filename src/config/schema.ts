import { DECLARED_SECTIONS, DECLARED_SETTINGS, type DeclaredSetting } from "./declared-settings.ts"
import type { Output, Reader } from "./reading.ts"
import { type KnownNames, modelsReader } from "./sections/models.ts"
import { priceGroups } from "./sections/price-groups.ts"
import { providersReader } from "./sections/providers.ts"
import { entry } from "./shapes.ts"

/** The names that settings may refer to. */
export interface FileNames extends KnownNames {
  readonly vendors: readonly string[]
}

/**
 * Builds the reader of `tollgate.yaml`.
 * @param directory the folder that contains the file.
 */
export function fileReader(names: FileNames, directory: string) {
  return readerWith(WHOLE_SHAPE, names, directory)
}

/** Builds the reader of a part of the settings, without the rules about settings that must be set together. */
export function partReader(names: FileNames, directory: string) {
  return readerWith(PART_SHAPE, names, directory)
}

function readerWith(declared: DeclaredShape, names: FileNames, directory: string) {
  return entry({
    ...declared,
    providers: providersReader(names.vendors, directory),
    models: modelsReader(names),
    price_groups: priceGroups,
  })
}

/** The parsed content of a valid file. Members have the names used in the file. */
export type FileSettings = Readonly<Record<string, unknown>> & {
  readonly providers?: Output<ReturnType<typeof providersReader>>
  readonly models?: Output<ReturnType<typeof modelsReader>>
  readonly price_groups?: Output<typeof priceGroups>
}

type DeclaredShape = Readonly<Record<string, Reader<unknown>>>

/** The declared settings. A section with only comments counts as absent. */
const PART_SHAPE: DeclaredShape = declaredShape()
const WHOLE_SHAPE: DeclaredShape = withSectionRules(PART_SHAPE)

function declaredShape(): Record<string, Reader<unknown>> {
  const shape: Record<string, Reader<unknown>> = {}
  const sections = Object.groupBy(DECLARED_SETTINGS, ({ name }) => name.split(".", 1)[0] ?? "")
  for (const [name, settings = []] of Object.entries(sections)) {
    const [first] = settings
    shape[name] = first?.name === name ? optional(first) : sectionShape(name, settings)
  }
  return shape
}

function sectionShape(section: string, settings: readonly DeclaredSetting[]): Reader<unknown> {
  const members = settings.map(
    (one) => [one.name.slice(section.length + 1), optional(one)] as const,
  )
  return entry(Object.fromEntries(members)).nullish()
}

function withSectionRules(shape: DeclaredShape): DeclaredShape {
  const ruled = { ...shape }
  for (const [, { section, rule }] of DECLARED_SECTIONS) {
    const reader = shape[section]
    if (rule === undefined || reader === undefined) continue
    ruled[section] = reader.refine(
      (file) => file === undefined || rule.isMet(new Set(Object.keys(file as object))),
      rule.message,
    )
  }
  return ruled
}

/**
 * Returns the rule that settings violate, as the end of a sentence that starts with the section's name.
 * @param isSet whether a setting is set, by its name in the file.
 * @returns undefined if the section has no rule, if the rule is met, or if no setting of the section is set.
 */
export function violatedRule(
  section: string,
  isSet: (name: string) => boolean,
): string | undefined {
  const rule = DECLARED_SECTIONS.find(([, one]) => one.section === section)?.[1].rule
  const own = DECLARED_SETTINGS.filter(({ name }) => name.startsWith(`${section}.`))
  const names = own.flatMap(({ name }) => (isSet(name) ? [name.slice(section.length + 1)] : []))
  const isMet = rule === undefined || names.length === 0 || rule.isMet(new Set(names))
  return isMet ? undefined : rule.message
}

function optional({ reader, isNullable }: DeclaredSetting): Reader<unknown> {
  return isNullable ? reader.nullish() : reader.optional()
}
