import { Badge, Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { IconLock } from "../../ui/icons.tsx"
import { type FormEvent, useState } from "react"
import { multiplierDoubt } from "tollgate-contract/amounts.ts"
import type { SettingsView } from "tollgate-contract/operations.ts"
import { ApiError, messageOf } from "../../api/api-error.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Panel } from "../../ui/panel.tsx"
import { multiplierQuestion } from "../credits/large-amount.ts"
import { decimalFault, readPrice } from "../models/prices.ts"

type Setting = SettingsView["changeable"][number]

/** What the console may change, each by itself. */
export function ChangeableSettings({ settings }: { readonly settings: readonly Setting[] }) {
  if (settings.length === 0) return null
  return (
    <Panel
      title="Changeable settings"
      description="Changes take effect immediately, without a restart."
    >
      <Stack gap="md">
        {settings.map((setting) => (
          <SettingField key={`${setting.name} ${setting.value ?? ""}`} setting={setting} />
        ))}
      </Stack>
    </Panel>
  )
}

function SettingField({ setting }: { readonly setting: Setting }) {
  const [typed, setTyped] = useState(setting.value ?? "")
  const [fault, setFault] = useState<string>()
  const { ask, dialog } = useAskFirst()
  const [isBusy, setBusy] = useState(false)
  const isChanged = typed.trim() !== (setting.value ?? "")

  async function save(value: string | null) {
    setBusy(true)
    setFault(undefined)
    try {
      await api("PATCH /settings", { body: { [setting.name]: value } })
      await refresh("/settings", "/session")
      notifyDone(`${setting.label} has been saved.`)
    } catch (thrown) {
      const own = thrown instanceof ApiError ? thrown.fields[setting.name] : undefined
      setFault(own ?? messageOf(thrown))
    } finally {
      setBusy(false)
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const text = typed.trim()
    if (text === "") return void save(null)
    if (setting.name !== "multiplier") return void save(text)
    const fault = decimalFault(text)
    const multiplier = readPrice(text)
    setFault(fault)
    if (multiplier === undefined) return
    ask(multiplierQuestion(multiplierDoubt(multiplier)), () => save(multiplier))
  }

  return (
    <>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            flex="1 1 18rem"
            label={<SettingLabel setting={setting} />}
            description={setting.help}
            placeholder={setting.default === null ? "none" : `${setting.default} (default)`}
            value={typed}
            error={fault}
            disabled={setting.is_locked}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {!setting.is_locked && (
            <>
              <Button type="submit" variant="default" loading={isBusy} disabled={!isChanged}>
                Save
              </Button>
              {setting.value !== null && (
                <Button variant="subtle" disabled={isBusy} onClick={() => void save(null)}>
                  Default
                </Button>
              )}
            </>
          )}
        </Group>
      </form>
      {dialog}
    </>
  )
}

function SettingLabel({ setting }: { readonly setting: Setting }) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      {setting.label}
      {setting.is_locked && (
        <Badge
          variant="default"
          radius="sm"
          tt="none"
          fw={500}
          leftSection={<IconLock size={12} aria-hidden />}
        >
          set in the file or environment
        </Badge>
      )}
      <Text span size="xs" c="dimmed" ff="monospace">
        {setting.name}
      </Text>
    </Group>
  )
}
