import { Button, Drawer, JsonInput, Select, Stack, TagsInput, Textarea } from "@mantine/core"
import { type ChatSettings, DEFAULT_SETTINGS, extraFault, toolsFault } from "../conversation.ts"
import { Sampling } from "./sampling.tsx"
import { t } from "../../../languages/text.ts"

export interface SettingsPanelProperties {
  readonly settings: ChatSettings
  readonly onChange: (settings: ChatSettings) => void
}

export interface SettingsPlaceProperties extends SettingsPanelProperties {
  /** Whether the panel is next to the conversation. Otherwise it is in a drawer above the conversation. */
  readonly isDocked: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Shows the settings next to the conversation, or in a drawer. */
export function SettingsPlace(properties: SettingsPlaceProperties) {
  const { isDocked, isOpen, onClose, ...panel } = properties
  const title = t("Request settings")
  if (isDocked) {
    return (
      <aside className="chat-settings" aria-label={title}>
        <SettingsPanel {...panel} />
      </aside>
    )
  }
  return (
    <Drawer opened={isOpen} onClose={onClose} title={title}>
      <SettingsPanel {...panel} />
    </Drawer>
  )
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"]

/**
 * Shows the settings that apply to all requests in the conversation. If a field is empty, the model's default applies.
 */
function SettingsPanel({ settings, onChange }: SettingsPanelProperties) {
  function change(part: Partial<ChatSettings>) {
    onChange({ ...settings, ...part })
  }

  return (
    <Stack gap="sm">
      <Textarea
        label={t("System prompt")}
        placeholder={t("You are brief and exact.")}
        autosize
        minRows={3}
        maxRows={12}
        value={settings.system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <Sampling settings={settings} onChange={change} />
      <Select
        label={t("Reasoning effort")}
        description={t("For reasoning models. Others report it as not sent.")}
        placeholder={t("Model's own")}
        clearable
        data={EFFORTS}
        value={settings.effort}
        onChange={(effort) => change({ effort })}
      />
      <TagsInput
        label={t("Stop at")}
        description={t("Generation stops before any of these.")}
        placeholder={settings.stop.length === 0 ? t("Type one, then Enter") : ""}
        maxTags={4}
        value={[...settings.stop]}
        onChange={(stop) => change({ stop })}
      />
      <JsonInput
        label={t("Tools")}
        description={t("Functions the model may call. You enter their results.")}
        placeholder='[{ "name": "get_time" }]'
        autosize
        minRows={2}
        maxRows={16}
        value={settings.tools}
        error={toolsFault(settings.tools)}
        onChange={(tools) => change({ tools })}
      />
      <JsonInput
        label={t("Additional fields")}
        description={t("JSON merged into the request: response_format, seed.")}
        placeholder='{ "seed": 1 }'
        autosize
        minRows={2}
        maxRows={12}
        value={settings.extra}
        error={extraFault(settings.extra)}
        onChange={(extra) => change({ extra })}
      />
      <Button variant="default" size="xs" onClick={() => onChange(DEFAULT_SETTINGS)}>
        {t("Reset to defaults")}
      </Button>
    </Stack>
  )
}
