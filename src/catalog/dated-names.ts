/**
 * Patterns of the date or edition that vendors append to a model's name. The name without this suffix means the same
 * model, because no pattern matches a version or a size (`gpt-5-mini` is not `gpt-5`).
 */
const EDITIONS: readonly RegExp[] = [
  // claude-sonnet-4-5-20250929, claude-sonnet-4-5@20250929
  /[-@]20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/,
  // gpt-5.4-2026-03-05
  /-20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  // command-r-08-2024, gemini-2.5-flash-preview-09-2025
  /-(?:0[1-9]|1[0-2])-20\d\d$/,
  // gemini-2.5-pro-preview-05-06, gemini-2.5-flash-preview-09-2025
  /-(?:preview|exp)-(?:0[1-9]|1[0-2])-(?:\d\d|20\d\d)$/,
  // mistral-large-2411, gpt-4-0613
  /-(?:2\d(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/,
  // gemini-2.5-flash-001
  /-00\d$/,
]

/** Matches versions of at most two parts: `4-5`, `5.4`, `4`. */
const VERSION = /^([^\s]+?)-(\d{1,2}(?:[.-]\d{1,2})?)$/

const LATEST = "-latest"

/**
 * Returns the name without its edition. There may be several interpretations. The one with the longest name comes
 * first.
 */
export function undatedNames(name: string): string[] {
  return EDITIONS.flatMap((edition) => (edition.test(name) ? [name.replace(edition, "")] : []))
}

/** Returns the family of a `-latest` name, which is the part before that suffix. */
export function familyOf(name: string): string | undefined {
  return name.endsWith(LATEST) ? name.slice(0, -LATEST.length) : undefined
}

interface Member {
  readonly name: string
  /** The format of the date; absent if dates in this format cannot be ordered. */
  readonly form?: string
  /** The numbers of the version or date, compared element by element. */
  readonly numbers: readonly number[]
}

/** Matches date formats that start with the year. */
const COMPARABLE_DAY = /^(?:2\d{3}|20\d{6}|20\d\d-\d\d-\d\d)$/

/**
 * Returns the newest name of each family. The family is the part before the version or date. Families are omitted if
 * two members are equally new, or if their date formats cannot be compared.
 */
export function newestNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const versions = new Map<string, Member[]>()
  const days = new Map<string, Member[]>()
  for (const name of names) {
    const undated = undatedNames(name)
    for (const family of undated) add(days, family, dated(name, name.slice(family.length + 1)))
    const [, family, version] = (undated.length === 0 && VERSION.exec(name)) || []
    if (family === undefined || version === undefined) continue
    add(versions, family, { name, form: "version", numbers: numbersOf(version) })
  }
  const newest = new Map<string, string>()
  for (const [family, members] of [...days, ...versions]) {
    const name = newestOf(members)
    if (name === undefined) newest.delete(family)
    else newest.set(family, name)
  }
  return newest
}

function dated(name: string, day: string): Member {
  const form = COMPARABLE_DAY.test(day) ? { form: `day of ${day.length}` } : {}
  return { name, ...form, numbers: numbersOf(day) }
}

function add(families: Map<string, Member[]>, family: string, member: Member): void {
  const members = families.get(family)
  if (members) members.push(member)
  else families.set(family, [member])
}

function numbersOf(text: string): number[] {
  return text.split(/[.-]/).map(Number)
}

function newestOf(members: readonly Member[]): string | undefined {
  const [first, second] = members.toSorted((left, right) =>
    compareNumbers(right.numbers, left.numbers),
  )
  if (first === undefined || second === undefined) return first?.name
  const isComparable = members.every(({ form }) => form !== undefined && form === first.form)
  return isComparable && compareNumbers(first.numbers, second.numbers) !== 0
    ? first.name
    : undefined
}

/** Compares versions or dates element by element. */
export function compareNumbers(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
