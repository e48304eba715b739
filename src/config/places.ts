/** Returns the value at a path in the settings; undefined without a value. */
export function valueAt(settings: unknown, at: readonly string[]): unknown {
  let value = settings
  for (const member of at)
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[member]
  return value
}

/** Returns a copy of the settings with a different value at a path. The parent of the path must exist. */
export function withValueAt<Whole extends object>(
  settings: Whole,
  [member = "", ...rest]: readonly string[],
  value: unknown,
): Whole {
  const inner = (settings as Readonly<Record<string, unknown>>)[member]
  const changed = rest.length === 0 ? value : withValueAt(inner as object, rest, value)
  return { ...settings, [member]: changed }
}

/**
 * Returns a copy of the settings with the value of other settings at a path. If a parent of the value is missing, all
 * of the parent is copied, with its defaults.
 */
export function withValueFrom<Whole extends object>(
  settings: Whole,
  others: object,
  [member = "", ...rest]: readonly string[],
): Whole {
  const inner = (settings as Readonly<Record<string, unknown>>)[member]
  const other = (others as Readonly<Record<string, unknown>>)[member]
  const isCopied = rest.length === 0 || inner === undefined
  const changed = isCopied ? other : withValueFrom(inner as object, other as object, rest)
  return { ...settings, [member]: changed }
}

/** Returns the parsed value of a setting in the file; undefined if the file does not contain it. */
export function fileValue(file: Readonly<Record<string, unknown>>, name: string): unknown {
  return valueAt(file, name.split(".")) ?? undefined
}
