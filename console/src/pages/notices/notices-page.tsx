import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { NoticeTarget, NoticeTargetWithSecret } from "tollgate-contract/notices.ts"
import { useAccount } from "../../account.tsx"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { Confirm } from "../../ui/confirm.tsx"
import { DataTable } from "../../ui/data-table.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconBell, IconPlus } from "../../ui/icons.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { NewTargetModal } from "./new-target-modal.tsx"
import { channelWords } from "./notice-words.ts"
import { SentNotices } from "./sent-notices.tsx"
import { ShownSecret } from "./shown-secret.tsx"
import { targetColumns } from "./target-columns.tsx"
import { t } from "../../languages/text.ts"

/** Shows the targets of notices, and the notices that were sent. */
export function NoticesPage() {
  const { accountId, accounts } = useAccount()
  const targets = useQuery(oneQuery("GET /notices/targets", { query: { account: accountId } }))
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<NoticeTargetWithSecret>()
  const [ending, setEnding] = useState<NoticeTarget>()
  const names = accountId === undefined ? new Map(accounts.map(({ id, name }) => [id, name])) : null
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("Add a target")}
    </Button>
  )

  async function remove() {
    if (ending === undefined) return
    await api("DELETE /notices/targets/{id}", { path: { id: ending.id } })
    await refresh("/notices")
  }

  return (
    <Page
      title={t("Notices")}
      description={t(
        "Low balances, spent budgets and other events, sent by webhook, Slack or email.",
      )}
      actions={addButton}
    >
      <Panel isFlush title={t("Targets")}>
        <ErrorNotice error={targets.error} retry={() => void targets.refetch()} />
        <DataTable
          label={t("Targets")}
          columns={targetColumns({ names, onTest: test, onRemove: setEnding })}
          rows={targets.data?.data ?? []}
          rowKey={(target) => target.id}
          isLoading={targets.isPending}
          minWidth={780}
          empty={
            targets.error === null && (
              <EmptyState
                icon={<IconBell size={22} />}
                title={t("No targets yet")}
                action={addButton}
              >
                {t("Add one to hear about it before credits run out.")}
              </EmptyState>
            )
          }
        />
      </Panel>
      <SentNotices account={accountId} names={names} targets={targets.data?.data ?? []} />
      <NewTargetModal
        account={accountId}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onAdded={setShown}
      />
      <ShownSecret shown={shown} onClose={() => setShown(undefined)} />
      <Confirm
        isOpen={ending !== undefined}
        title={t("Remove this target?")}
        action={t("Remove the target")}
        onConfirm={remove}
        onClose={() => setEnding(undefined)}
      >
        {ending !== undefined && removalText(ending)}
      </Confirm>
    </Page>
  )
}

function removalText({ channel, address }: NoticeTarget): string {
  return t(
    "{channel} at {address} gets no more notices. Those still waiting to be sent are dropped.",
    { channel: channelWords(channel), address },
  )
}

async function test({ id, address }: NoticeTarget): Promise<void> {
  try {
    await api("POST /notices/targets/{id}/test", { path: { id } })
    notifyDone(t("A test is on its way to {address}. See below whether it arrives.", { address }))
    await refresh("/notices")
  } catch (thrown) {
    notifyError(thrown)
  }
}
