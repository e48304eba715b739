import { Button, Group, Stack, Text, Title } from "@mantine/core"
import type { ComponentType, FormEvent } from "react"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Panel } from "../../ui/panel.tsx"
import { useLeaveQuestion } from "../../ui/use-leave-question.tsx"
import { MailTest } from "./mail-test.tsx"
import { SettingField } from "./setting-field.tsx"
import type { SettingsTestProperties } from "./settings-test.tsx"
import { StripeTest } from "./stripe-test.tsx"
import { type Setting, useSettingsForm } from "./use-settings-form.ts"
import { t } from "../../languages/text.ts"

/** Section titles for settings, by the first part of their names. */
const SECTIONS: Readonly<Record<string, string>> = {
  timeouts: t("Timeouts"),
  images: t("Images"),
  limits: t("Limits"),
  notices: t("Email"),
  stripe: t("Card payments"),
  responses: t("Kept responses"),
}
const GENERAL = t("General")

/** Tests of the active settings, by section title. */
const TESTS: Readonly<Record<string, ComponentType<SettingsTestProperties>>> = {
  [t("Email")]: MailTest,
  [t("Card payments")]: StripeTest,
}

/** Shows the settings that the console may change. They are saved together. */
export function ChangeableSettings({ settings }: { readonly settings: readonly Setting[] }) {
  const form = useSettingsForm(settings)
  const leaving = useLeaveQuestion(() => form.changes > 0)
  if (settings.length === 0) return null
  const sections = Map.groupBy(settings, sectionOf)

  function submit(event: FormEvent) {
    event.preventDefault()
    form.save()
  }

  return (
    <Panel
      title={t("Changeable settings")}
      description={t("Changes take effect immediately, without a restart.")}
    >
      <form onSubmit={submit}>
        <Stack gap="xl">
          {[...sections].map(([section, members]) => (
            <section key={section} className="setting-section">
              <Title order={3} size="h6">
                {section}
              </Title>
              {members.map((setting) => (
                <div key={setting.name} id={setting.name}>
                  <SettingField
                    setting={setting}
                    value={form.valueOf(setting)}
                    fault={form.faults[setting.name] ?? setting.problem ?? undefined}
                    isRemoved={form.isRemoved(setting)}
                    onChange={(value) => form.type(setting.name, value)}
                  />
                </div>
              ))}
              <SectionTest section={section} settings={members} hasChanges={form.changes > 0} />
            </section>
          ))}
          <ErrorNotice error={form.error} title={t("Could not save the settings")} />
        </Stack>
        {form.changes > 0 && (
          <Group className="unsaved" gap="xs">
            <Text size="sm" role="status">
              {t("{count, plural, one {1 unsaved change} other {{count} unsaved changes}}", {
                count: form.changes,
              })}
            </Text>
            <Button variant="default" ml="auto" disabled={form.isBusy} onClick={form.discard}>
              {t("Discard")}
            </Button>
            <Button type="submit" loading={form.isBusy}>
              {t("Save")}
            </Button>
          </Group>
        )}
      </form>
      {form.dialog}
      {leaving}
    </Panel>
  )
}

interface SectionTestProperties {
  readonly section: string
  readonly settings: readonly Setting[]
  readonly hasChanges: boolean
}

/** Shows the test of a section whose settings are set. */
function SectionTest({ section, settings, hasChanges }: SectionTestProperties) {
  const Test = TESTS[section]
  const isSet = settings.some((setting) => setting.is_secret && setting.is_set)
  if (Test === undefined || !isSet) return null
  return (
    <div className="setting-test">
      <Test hasChanges={hasChanges} />
    </div>
  )
}

function sectionOf({ name }: Setting): string {
  return SECTIONS[name.split(".")[0] ?? ""] ?? GENERAL
}
