import { UnstyledButton } from "@mantine/core"
import type { AuditRecord } from "tollgate-contract/operations.ts"
import { AccountName } from "../../ui/account-name.tsx"
import type { Column } from "../../ui/data-table.tsx"
import { When } from "../../ui/when.tsx"
import { actionWords } from "./record-words.ts"
import { TargetView } from "./target-view.tsx"
import { known, t } from "../../languages/text.ts"

const ACTORS: Readonly<Record<AuditRecord["actor"]["kind"], string>> = {
  user: "",
  admin_token: t("admin token"),
  command: t("command line"),
}

/** Returns the name of an actor. The names of the admin token and the command line are translated. */
export function nameOf(actor: AuditRecord["actor"]): string {
  return actor.kind === "user" ? actor.name : known(actor.name)
}

/** Labels an actor that is not a person; empty for people, and if the name alone is clear. */
export function kindWords(actor: AuditRecord["actor"]): string {
  const words = ACTORS[actor.kind]
  return nameOf(actor).toLowerCase() === words.toLowerCase() ? "" : words
}

/**
 * Returns the columns of the audit list.
 * @param isAll whether the records are from several accounts.
 * @param show opens a record.
 */
export function auditColumns(
  isAll: boolean,
  show: (record: AuditRecord) => void,
): readonly Column<AuditRecord>[] {
  const columns: Column<AuditRecord>[] = [
    {
      id: "action",
      header: t("Change"),
      cell: (record) => (
        <UnstyledButton onClick={() => show(record)} fw={600} fz="inherit">
          {actionWords(record.action)}
        </UnstyledButton>
      ),
    },
    {
      id: "target",
      header: t("Object"),
      cell: (record) => <TargetView record={record} />,
    },
    {
      id: "actor",
      header: t("Actor"),
      cell: ({ actor }) => (
        <span className="anywhere">
          {nameOf(actor)}
          {kindWords(actor) !== "" && <span className="dim"> ({kindWords(actor)})</span>}
        </span>
      ),
    },
    { id: "at", header: t("When"), cell: ({ at }) => <When at={at} isExact /> },
    {
      id: "address",
      header: t("Address"),
      isSecondary: true,
      isWideOnly: true,
      cell: ({ address }) => <span className="mono dim">{address ?? "–"}</span>,
    },
  ]
  if (!isAll) return columns
  columns.splice(2, 0, {
    id: "account",
    header: t("Account"),
    isSecondary: true,
    cell: accountCell,
  })
  return columns
}

function accountCell({ account }: AuditRecord) {
  return account === null ? <span className="dim">–</span> : <AccountName id={account} />
}
