import { Snippet } from "../../ui/snippet.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"

export interface EffectiveSettingsProperties {
  readonly settings: Readonly<Record<string, unknown>>
}

/** Shows all active settings. The API omits secrets. */
export function EffectiveSettings({ settings }: EffectiveSettingsProperties) {
  return (
    <Panel
      title={t("Active settings")}
      description={t(
        "The file, the environment, this console and the defaults combined, with the names and units of tollgate.yaml. Secrets are omitted.",
      )}
    >
      <Snippet
        code={JSON.stringify(settings, null, 2)}
        label={t("Copy the active settings")}
        maxHeight={480}
      />
    </Panel>
  )
}
