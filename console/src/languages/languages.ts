/** Messages of a language: English text to translation. */
export type Catalog = Readonly<Record<string, string>>

export interface Language {
  /** The language tag, such as `zh-Hans`. It is the name of the catalog's file. */
  readonly tag: string
  /** The name of the language in the language itself. */
  readonly name: string
  /** The locale for dates, times and lists. */
  readonly locale: string
  /** The locale for numbers. */
  readonly numbers: string
  /** Loads the catalog; undefined for English, whose messages are in the source. */
  readonly load?: () => Promise<{ readonly default: Catalog }>
}

export const ENGLISH: Language = { tag: "en", name: "English", locale: "en-GB", numbers: "en" }

/** The languages of the console, in the order of the list in the profile. */
export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  language("de", "Deutsch", "de", () => import("./de.json")),
  language("es", "Español", "es", () => import("./es.json")),
  language("fr", "Français", "fr", () => import("./fr.json")),
  language("pt", "Português", "pt-BR", () => import("./pt.json")),
  language("ja", "日本語", "ja", () => import("./ja.json")),
  language("zh-Hans", "简体中文", "zh-Hans", () => import("./zh-Hans.json")),
]

/**
 * Returns the first of the reader's languages that the console has, or English. A tag matches by its main part, except
 * that traditional Chinese does not match simplified Chinese.
 * @param wanted language tags, in the order of preference.
 */
export function matchLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = LANGUAGES.find((language) => matches(tag, language.tag))
    if (found !== undefined) return found
  }
  return ENGLISH
}

function matches(wanted: string, tag: string): boolean {
  const { language, script } = maximized(wanted)
  const offered = maximized(tag)
  return language === offered.language && (language !== "zh" || script === offered.script)
}

/** Adds the usual script to a tag: `zh-TW` is `zh-Hant-TW`. A tag that is not valid matches no language. */
function maximized(tag: string): {
  readonly language: string
  readonly script?: string | undefined
} {
  try {
    return new Intl.Locale(tag).maximize()
  } catch {
    return { language: "" }
  }
}

function language(
  tag: string,
  name: string,
  locale: string,
  load: NonNullable<Language["load"]>,
): Language {
  return { tag, name, locale, numbers: locale, load }
}
