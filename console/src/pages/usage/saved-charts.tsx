import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { getRouteApi } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useSession } from "../../session.tsx"
import { IconTrash } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { type SavedChart, readCharts, withChart } from "./chart-store.ts"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/usage")

/** Lists the charts that the user has saved under a name. They are stored only in the browser. */
export function SavedCharts() {
  const { user } = useSession()
  const search = route.useSearch()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useLocalStorage({
    key: `tollgate-charts-${user?.id ?? "admin"}`,
    defaultValue: "[]",
    serialize: (value) => value,
    deserialize: (value) => value ?? "[]",
    getInitialValueInEffect: false,
  })
  const charts = readCharts(text)
  const keep = (left: readonly SavedChart[]) => setText(JSON.stringify(left))
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={320} trapFocus>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {t("Saved charts")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("Saved charts")}>
        <Stack gap="sm">
          {charts.length > 0 && (
            <Stack
              gap={4}
              component="ul"
              p={0}
              m={0}
              style={{ listStyle: "none" }}
              aria-label={t("Saved charts")}
            >
              {charts.map((chart) => (
                <Group
                  key={chart.name}
                  component="li"
                  gap="xs"
                  wrap="nowrap"
                  justify="space-between"
                >
                  <TextLink
                    to="/usage"
                    search={chart.search}
                    className="anywhere"
                    onClick={() => setOpen(false)}
                  >
                    {chart.name}
                  </TextLink>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t("Remove {name}", { name: chart.name })}
                    onClick={() => keep(charts.filter(({ name }) => name !== chart.name))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              ))}
            </Stack>
          )}
          <SaveForm onSave={(name) => keep(withChart(charts, { name, search }))} />
          <Text size="xs" c="dimmed">
            {t("Saved in this browser only. To share a chart, send its address.")}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function SaveForm({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState("")
  function save(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === "") return
    onSave(name.trim())
    setName("")
  }
  return (
    <form onSubmit={save}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          flex={1}
          label={t("Save this chart as")}
          placeholder={t("Spend by team")}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" disabled={name.trim() === ""}>
          {t("Save")}
        </Button>
      </Group>
    </form>
  )
}
