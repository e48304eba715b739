import { t } from "../../languages/text.ts"
import { LanguageSelect } from "../../ui/language-select.tsx"
import { Panel } from "../../ui/panel.tsx"

/** Selects the language of the console, which each browser stores separately. */
export function LanguagePanel() {
  return (
    <Panel
      title={t("Language")}
      description={t("Applies to this browser. The choice loads the page again.")}
    >
      <LanguageSelect maw={320} />
    </Panel>
  )
}
