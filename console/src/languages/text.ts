import { IntlMessageFormat } from "intl-messageformat"
import { createElement, Fragment, type ReactNode } from "react"
import { chosenLanguage } from "./chosen-language.ts"
import { ENGLISH, type Language } from "./languages.ts"

interface Loaded {
  readonly language: Language
  readonly catalog: ReadonlyMap<string, string>
}

/** The values of a message with components: nodes, and functions that wrap the text of a tag. */
type RichValues = Readonly<Record<string, ReactNode | ((text: ReactNode) => ReactNode)>>

// Modules that use messages wait for the catalog, so constants can contain messages.
const { language, catalog } = await load(chosenLanguage())

/** The language of the console. */
export const currentLanguage = language

/** A note at the end of a message that distinguishes equal English messages: `Test [button]`. */
const CONTEXT = / \[[a-z]+\]$/
const formats = new Map<string, IntlMessageFormat>()

/**
 * Translates a message. A message with values is an ICU message, such as `{count, plural, one {# key} other {# keys}}`.
 * Only such a message interprets braces and tags.
 * @param message the English text, as a literal, so that it can be extracted.
 */
export function t(message: string, values?: Readonly<Record<string, string | number>>): string {
  const text = known(message)
  return values === undefined ? text : String(formatOf(message).format(values))
}

/**
 * Translates a message with components. Values are nodes, or functions for tags: `Read <link>the guide</link>.` with
 * `{ link: (text) => <a href="…">{text}</a> }`.
 */
export function rich(message: string, values: RichValues): ReactNode {
  const parts = formatOf(message).format<ReactNode>(wrapped(values))
  return createElement(Fragment, null, ...(Array.isArray(parts) ? parts : [parts]))
}

/** Translates a text from the gateway's contract, such as the label of a setting. Other texts stay as they are. */
export function known(text: string): string {
  return catalog.get(text) || text.replace(CONTEXT, "")
}

/** Returns a label as it appears within a sentence. German nouns keep their capital letter. */
export function inSentence(label: string): string {
  return language.tag === "de" ? label : label.toLowerCase()
}

function formatOf(message: string): IntlMessageFormat {
  const kept = formats.get(message)
  if (kept !== undefined) return kept
  const format = new IntlMessageFormat(known(message), language.numbers)
  formats.set(message, format)
  return format
}

/** The formatter passes the parts of a tag's text as a list. */
function wrapped(
  values: RichValues,
): Record<string, ReactNode | ((parts: ReactNode[]) => ReactNode)> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (parts: ReactNode[]) => value(createElement(Fragment, null, ...parts))
        : value,
    ]),
  )
}

/** Returns English if the catalog cannot be loaded, because a console in English is better than no console. */
async function load(language: Language): Promise<Loaded> {
  if (language.load === undefined) return { language, catalog: new Map() }
  try {
    const { default: catalog } = await language.load()
    return { language, catalog: new Map(Object.entries(catalog)) }
  } catch {
    return { language: ENGLISH, catalog: new Map() }
  }
}
