import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { PriceListsDocument } from "tollgate-contract/prices.ts"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { pendingText } from "./pending-text.ts"
import { rich, t } from "../../languages/text.ts"

type Pending = NonNullable<PriceListsDocument["pending"]>
type PriceChange = Pending["changes"][number]

/** Shows a newer price list that needs an operator's approval. Renders nothing if there is no newer list. */
export function NewerPrices() {
  const { data } = useQuery(oneQuery("GET /prices", {}))
  const [isOpen, setOpen] = useState(false)
  const pending = data?.pending ?? undefined
  if (pending === undefined) return null
  return (
    <>
      <Alert
        variant="light"
        color="yellow"
        title={t("New list prices of {date} are available", { date: pending.date })}
      >
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            {t("{pending} compared with the current list of {date}.", {
              pending: pendingText(pending),
              date: data?.date ?? "",
            })}
          </Text>
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {t("Look at them")}
          </Button>
        </Group>
      </Alert>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("Prices of {date}", { date: pending.date })}
        size="xl"
      >
        <PendingPrices pending={pending} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

interface PendingPricesProperties {
  readonly pending: Pending
  readonly onClose: () => void
}

function PendingPrices({ pending, onClose }: PendingPricesProperties) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function apply() {
    setBusy(true)
    setError(null)
    try {
      await api("POST /prices/apply", { body: { date: pending.date } })
      notifyDone(t("The prices of {date} now apply.", { date: pending.date }))
      onClose()
      await refresh("/prices", "/models")
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack>
      <Text size="sm">
        {rich(
          "From {source}, found {when}. They apply to requests from then on. Past charges do not change, and prices that you set yourself stay.",
          {
            source: <span className="mono anywhere">{pending.source}</span>,
            when: <When at={pending.found_at} />,
          },
        )}
      </Text>
      <DataTable
        label={t("Changes")}
        columns={COLUMNS}
        rows={pending.changes}
        rowKey={({ vendor, model }) => `${vendor} ${model ?? ""}`}
        minWidth={520}
      />
      <ErrorNotice error={error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t("Not now")}
        </Button>
        <Button loading={isBusy} onClick={() => void apply()}>
          {t("Apply")}
        </Button>
      </Group>
    </Stack>
  )
}

const COLORS = { added: "blue", removed: "gray", increased: "red", decreased: "gate" } as const

const COLUMNS: readonly Column<PriceChange>[] = [
  {
    id: "model",
    header: t("Model"),
    cell: ({ vendor, model }) => (
      <span className="anywhere">{model === null ? vendor : `${vendor}/${model}`}</span>
    ),
  },
  {
    id: "change",
    header: t("Change"),
    cell: ({ change }) => <Status value={change} color={COLORS[change]} />,
  },
  {
    id: "parts",
    header: t("Credits per million"),
    cell: ({ parts }) =>
      parts.map(({ name, before, after }) => (
        <div key={name}>
          <span className="dim">{name}</span> {before ?? t("none")} → {after ?? t("none")}
        </div>
      )),
  },
]
