import { t } from "../../languages/text.ts"
import { LanguageSelect } from "../../ui/language-select.tsx"
import { Panel } from "../../ui/panel.tsx"

/** Chooses the language of the console. The session has no place for it, so each browser has its own. */
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
