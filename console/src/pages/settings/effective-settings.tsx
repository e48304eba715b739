import { Snippet } from "../../ui/snippet.tsx"
import { Panel } from "../../ui/panel.tsx"

export interface EffectiveSettingsProperties {
  readonly settings: Readonly<Record<string, unknown>>
}

/** Shows all active settings. The API omits secrets. */
export function EffectiveSettings({ settings }: EffectiveSettingsProperties) {
  return (
    <Panel
      title="Active settings"
      description="The file, the environment, this console and the defaults combined, with the names and units of tollgate.yaml. Secrets are omitted."
    >
      <Snippet
        code={JSON.stringify(settings, null, 2)}
        label="Copy the active settings"
        maxHeight={480}
      />
    </Panel>
  )
}
