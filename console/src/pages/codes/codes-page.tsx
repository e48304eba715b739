import { Button } from "@mantine/core"
import { IconGift, IconPlus } from "../../ui/icons.tsx"
import { useState } from "react"
import type { Code, CodeWithText } from "tollgate-contract/codes.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { usePages } from "../../api/use-pages.ts"
import { saveCsv } from "../../ui/save-csv.ts"
import { countText } from "../../format/numbers.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable, type Column } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { MoreButton } from "../../ui/more-button.tsx"
import { notifyError } from "../../ui/notify.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { NewCodeModal } from "./new-code-modal.tsx"
import { codeRows, ShownCode } from "./shown-code.tsx"
import { known, t } from "../../languages/text.ts"

/** Lists the codes that grant credits to the accounts that redeem them. */
export function CodesPage() {
  const codes = usePages("GET /codes", {})
  const [isCreating, setCreating] = useState(false)
  const [shown, setShown] = useState<readonly CodeWithText[]>()
  const [ending, setEnding] = useState<Code>()
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t("Create codes")}
    </Button>
  )

  async function revoke() {
    if (ending === undefined) return
    await api("POST /codes/{id}/revoke", { path: { id: ending.id } })
    await refresh("/codes")
  }

  return (
    <Page
      title={t("Codes")}
      description={t("A code grants credits, once per account that redeems it.")}
      actions={
        <>
          {codes.items.length > 0 && <ExportCodes />}
          {createButton}
        </>
      }
    >
      <Panel isFlush>
        <ErrorNotice error={codes.error} retry={codes.retry} />
        <DataTable
          label={t("Codes")}
          columns={codeColumns(setEnding)}
          rows={codes.items}
          rowKey={(code) => code.id}
          isLoading={codes.isLoading}
          minWidth={820}
          empty={
            codes.error === null && (
              <EmptyState
                icon={<IconGift size={22} />}
                title={t("No codes yet")}
                action={createButton}
              >
                {t("Create one or many and hand them out. They are redeemed on the Credits page.")}
              </EmptyState>
            )
          }
        />
        <MoreButton pages={codes} />
      </Panel>
      <NewCodeModal isOpen={isCreating} onClose={() => setCreating(false)} onCreated={setShown} />
      <ShownCode shown={shown} onClose={() => setShown(undefined)} />
      <Confirm
        isOpen={ending !== undefined}
        title={t("Revoke the code …{hint}?", { hint: ending?.hint ?? "" })}
        action={t("Revoke the code")}
        onConfirm={revoke}
        onClose={() => setEnding(undefined)}
      >
        {t("It can no longer be redeemed. Credits already redeemed stay.")}
      </Confirm>
    </Page>
  )
}

const CODES_PER_REQUEST = 200

/** Exports all codes and their redemptions, including codes on pages that are not loaded. */
function ExportCodes() {
  const [isBusy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    try {
      const all: Code[] = []
      let cursor: string | undefined
      do {
        const page = await api("GET /codes", { query: { limit: CODES_PER_REQUEST } }, { cursor })
        all.push(...page.data)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      saveCsv("codes.csv", codeRows(all))
    } catch (thrown) {
      notifyError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="default" loading={isBusy} onClick={() => void save()}>
      {t("CSV")}
    </Button>
  )
}

function codeColumns(end: (code: Code) => void): readonly Column<Code>[] {
  return [
    {
      id: "hint",
      header: t("Code"),
      cell: ({ hint, note }) => (
        <span className="anywhere">
          <span className="mono">…{hint}</span>
          {note !== null && <span className="dim"> {note}</span>}
        </span>
      ),
    },
    {
      id: "credits",
      header: t("Credits"),
      isFigure: true,
      cell: ({ credits }) => <Money value={credits} hasUnit />,
    },
    {
      id: "used",
      header: t("Redeemed"),
      isFigure: true,
      cell: ({ used, uses }) =>
        t("{used} of {uses}", { used: countText(used), uses: countText(uses) }),
    },
    { id: "status", header: t("Status"), cell: ({ status }) => <Status value={status} /> },
    {
      id: "expires",
      header: t("Expires"),
      isSecondary: true,
      cell: ({ expires_at: expiresAt }) => <When at={expiresAt} none={t("never")} />,
    },
    {
      id: "created",
      header: t("Created"),
      isWideOnly: true,
      isSecondary: true,
      cell: ({ created_at: createdAt, author }) => (
        <>
          <When at={createdAt} />
          {author !== null && (
            <span className="dim"> {t("by {author}", { author: known(author) })}</span>
          )}
        </>
      ),
    },
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (code) =>
        code.status === "active" && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t("Revoke the code ending in {hint}", { hint: code.hint })}
            onClick={() => end(code)}
          >
            {t("Revoke")}
          </Button>
        ),
    },
  ]
}
