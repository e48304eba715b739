import type { z } from "zod"
import { DECLARED_SECTIONS, DECLARED_SETTINGS, type DeclaredSetting } from "./declared-settings.ts"
import { asObject } from "./issues.ts"
import { type KnownNames, modelsSchema } from "./sections/models.ts"
import { priceGroups } from "./sections/price-groups.ts"
import { providersSchema } from "./sections/providers.ts"
import { strict } from "./shapes.ts"

/** The names that settings may refer to. */
export interface FileNames extends KnownNames {
  readonly vendors: readonly string[]
}

/**
 * Builds the schema of `tollgate.yaml`.
 * @param directory the folder that contains the file.
 */
export function fileSchema(names: FileNames, directory: string) {
  return schemaWith(WHOLE_SHAPE, names, directory)
}

/** Builds the schema of a part of the settings, without the rules about settings that must be set together. */
export function partSchema(names: FileNames, directory: string) {
  return schemaWith(PART_SHAPE, names, directory)
}

function schemaWith(declared: DeclaredShape, names: FileNames, directory: string) {
  return strict({
    ...declared,
    providers: providersSchema(names.vendors, directory),
    models: modelsSchema(names),
    price_groups: priceGroups,
  })
}

/** The parsed content of a valid file. Members have the names used in the file. */
export type FileSettings = z.output<ReturnType<typeof fileSchema>>

type DeclaredShape = Readonly<Record<string, z.ZodType>>

/** The declared settings. A section with only comments counts as absent. */
const PART_SHAPE: DeclaredShape = declaredShape()
const WHOLE_SHAPE: DeclaredShape = withSectionRules(PART_SHAPE)

function declaredShape(): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {}
  const sections = Object.groupBy(DECLARED_SETTINGS, ({ name }) => name.split(".", 1)[0] ?? "")
  for (const [name, settings = []] of Object.entries(sections)) {
    const [first] = settings
    shape[name] = first?.name === name ? optional(first) : sectionShape(name, settings)
  }
  return shape
}

function sectionShape(section: string, settings: readonly DeclaredSetting[]): z.ZodType {
  const members = settings.map(
    (one) => [one.name.slice(section.length + 1), optional(one)] as const,
  )
  return strict(Object.fromEntries(members)).nullish()
}

function withSectionRules(shape: DeclaredShape): DeclaredShape {
  const ruled = { ...shape }
  for (const [, { section, rule }] of DECLARED_SECTIONS) {
    const schema = shape[section]
    if (rule === undefined || schema === undefined) continue
    ruled[section] = schema.refine((file) => {
      const members = Object.entries(asObject(file) ?? {})
      const names = members.flatMap(([name, value]) => ((value ?? null) === null ? [] : [name]))
      return asObject(file) === undefined || rule.isMet(new Set(names))
    }, rule.message)
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

function optional({ schema, isNullable }: DeclaredSetting): z.ZodType {
  return isNullable ? schema.nullish() : schema.optional()
}
