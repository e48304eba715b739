import { IntlMessageFormat } from "intl-messageformat"

interface Element {
  readonly type: number
  readonly value?: string
  readonly options?: Readonly<Record<string, { readonly value: readonly Element[] }>>
  readonly children?: readonly Element[]
}

/** The types of elements without a name: text, and the number sign of a plural. */
const NAMELESS: ReadonlySet<number> = new Set([0, 7])

/** Returns the names of the values and tags of a message, or the reason why the message is invalid. */
export function placeholdersOf(message: string, locale = "en"): readonly string[] | string {
  try {
    const format = new IntlMessageFormat(message, locale)
    return [...new Set(namesIn(format.getAst() as readonly Element[]))].toSorted()
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
