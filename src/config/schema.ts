import type { z } from "zod"
import { DECLARED_SECTIONS, DECLARED_SETTINGS, type DeclaredSetting } from "./declared-settings.ts"
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
  return strict({
    ...DECLARED_SHAPE,
    providers: providersSchema(names.vendors, directory),
    models: modelsSchema(names),
    price_groups: priceGroups,
  })
}

/** The parsed content of a valid file. Members have the names used in the file. */
export type FileSettings = z.output<ReturnType<typeof fileSchema>>

/** The declared settings. A section with only comments counts as absent. */
const DECLARED_SHAPE: Readonly<Record<string, z.ZodType>> = declaredShape()

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
  const schema = strict(Object.fromEntries(members)).nullish()
  const rule = DECLARED_SECTIONS.find(([, one]) => one.section === section)?.[1].rule
  if (rule === undefined) return schema
  return schema.refine(
    (file) => file === null || file === undefined || rule.isMet(file),
    rule.message,
  )
}

function optional({ schema, isNullable }: DeclaredSetting): z.ZodType {
  return isNullable ? schema.nullish() : schema.optional()
}
