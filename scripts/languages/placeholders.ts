import { IntlMessageFormat } from "intl-messageformat"

interface Element {
  readonly type: number
  readonly value?: string
  readonly options?: Readonly<Record<string, { readonly value: readonly Element[] }>>
  readonly children?: readonly Element[]
}

/** The type of a text between values. */
const TEXT = 0
/** The types of elements without a name: text, and the number sign of a plural. */
const NAMELESS: ReadonlySet<number> = new Set([TEXT, 7])

/** Returns the names of the values and tags of a message, or the reason why the message is invalid. */
export function placeholdersOf(message: string, locale = "en"): readonly string[] | string {
  const elements = elementsOf(message, locale)
  if (typeof elements === "string") return elements
  return [...new Set(namesIn(elements))].toSorted()
}

/** Returns the parts of a message in order, undefined for each value or tag; undefined if the message is invalid. */
export function partsOf(message: string): readonly (string | undefined)[] | undefined {
  const elements = elementsOf(message, "en")
  if (typeof elements === "string") return undefined
  return elements.map(({ type, value }) => (type === TEXT ? value : undefined))
}

function elementsOf(message: string, locale: string): readonly Element[] | string {
  try {
    return new IntlMessageFormat(message, locale).getAst() as readonly Element[]
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

function namesIn(elements: readonly Element[]): string[] {
  return elements.flatMap(({ type, value = "", options = {}, children = [] }) => [
    ...(NAMELESS.has(type) ? [] : [value]),
    ...Object.values(options).flatMap((option) => namesIn(option.value)),
    ...namesIn(children),
  ])
}
