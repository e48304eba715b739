import { Drawer, Stack } from "@mantine/core"
import type { AuditRecord } from "tollgate-contract/operations.ts"
import { Facts } from "../../ui/facts.tsx"
import { When } from "../../ui/when.tsx"
import { kindWords, nameOf } from "./audit-columns.tsx"
import { DifferenceView } from "./difference-view.tsx"
import { actionWords } from "./record-words.ts"
import { TargetView } from "./target-view.tsx"
import { t } from "../../languages/text.ts"

export interface RecordDrawerProperties {
  readonly record: AuditRecord | undefined
  readonly onClose: () => void
}

/** Shows one change, with the values before and after the change. */
export function RecordDrawer({ record, onClose }: RecordDrawerProperties) {
  return (
    <Drawer
      opened={record !== undefined}
      onClose={onClose}
      size="xl"
      title={record === undefined ? "" : actionWords(record.action)}
    >
      {record !== undefined && (
        <Stack>
          <Facts facts={factsOf(record)} />
          <DifferenceView before={record.before} after={record.after} />
        </Stack>
      )}
    </Drawer>
  )
}

function factsOf(record: AuditRecord) {
  const { actor, account, address } = record
  const kind = kindWords(actor)
  return [
    { label: t("When"), value: <When at={record.at} isExact /> },
    { label: t("Actor"), value: kind === "" ? nameOf(actor) : `${nameOf(actor)} (${kind})` },
    { label: t("Address"), value: address ?? "–" },
    { label: t("Object"), value: <TargetView record={record} /> },
    { label: t("Account"), value: <span className="mono">{account ?? "–"}</span> },
    { label: t("Number"), value: record.number },
    { label: t("Hash"), value: <span className="mono">{record.hash}</span> },
  ]
}
