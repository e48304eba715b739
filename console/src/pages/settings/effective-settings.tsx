import { Snippet } from "../../ui/snippet.tsx"
import { Panel } from "../../ui/panel.tsx"

export interface EffectiveSettingsProperties {
  readonly settings: Readonly<Record<string, unknown>>
}

/** All settings that are in force. The API leaves secrets out. */
export function EffectiveSettings({ settings }: EffectiveSettingsProperties) {
  return (
    <Panel
      title="In force"
      description="Everything together: the file, the environment, this console, and the defaults. Secrets are left out."
    >
      <Snippet
        code={JSON.stringify(settings, null, 2)}
        label="Copy the settings in force"
        maxHeight={480}
      />
    </Panel>
  )
}
