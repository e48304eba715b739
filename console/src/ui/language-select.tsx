import { NativeSelect, type NativeSelectProps } from "@mantine/core"
import { chooseLanguage } from "../languages/choose-language.ts"
import { LANGUAGES } from "../languages/languages.ts"
import { currentLanguage, t } from "../languages/text.ts"

/**
 * Selects the language of the console. The name of each language is in that language, so that users who read no other
 * language can find it.
 */
export function LanguageSelect(properties: Pick<NativeSelectProps, "maw" | "size">) {
  return (
    <NativeSelect
      aria-label={t("Language")}
      value={currentLanguage.tag}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
      {...properties}
    >
      {LANGUAGES.map(({ tag, name }) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}
